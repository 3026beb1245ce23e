// Every cache layout: which formats it holds, how large it makes them, and how it is found.
#include "kv/layout.h"

#include <gtest/gtest.h>

#include <string>

#include "quant/registry.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

const Format& format(const char* name) { return *find_format(std::string_view(name)); }

TEST(KvLayouts, AreFoundByName) {
  for (const KvLayout* layout : kv_layouts()) EXPECT_EQ(&find_kv_layout(layout->name), layout);
  const Error e = test::error_of([] { find_kv_layout("spiral"); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_TRUE(std::string(e.what()).starts_with("cache.layout: unknown layout 'spiral'; known: auto")) << e.what();
  for (const KvLayout* layout : kv_layouts())
    EXPECT_NE(std::string(e.what()).find(layout->name), std::string::npos) << e.what();
}

TEST(KvLayouts, AutoTakesDimensionsWhereTheFormatAllowsIt) {
  for (const char* plain : {"f32", "f16", "bf16"}) EXPECT_EQ(choose_kv_layout("auto", format(plain)).name, "dims") << plain;
  for (const char* blocks : {"q8_0", "q4_0"}) EXPECT_EQ(choose_kv_layout("auto", format(blocks)).name, "rows") << blocks;
}

TEST(KvLayouts, TheOneNamedIsTakenIfItHoldsTheFormat) {
  EXPECT_EQ(choose_kv_layout("rows", format("f16")).name, "rows");
  EXPECT_EQ(choose_kv_layout("rows", format("q8_0")).name, "rows");
  EXPECT_EQ(choose_kv_layout("dims", format("bf16")).name, "dims");
  EXPECT_EQ(choose_kv_layout("dims", format("q4_0")).name, "rows");
}

TEST(KvLayouts, HoldAPageOfKeysAndNoMore) {
  for (const KvLayout* layout : kv_layouts())
    for (const char* name : {"f32", "f16", "bf16", "q8_0", "q4_0"})
      for (int64_t d : {32, 96, 256}) {
        if (!layout->holds(format(name))) continue;
        const KeyPlace place = layout->place(format(name), d);
        EXPECT_EQ(place.bytes, format(name).bytes(d * kPageKeys)) << layout->name << ", " << name << ", " << d;
        EXPECT_EQ(place.stride, format(name).bytes(layout->order == KeyOrder::kRows ? d : kPageKeys)) << layout->name;
      }
}

TEST(KvColumns, FillUpBlocks) {
  for (int64_t d : {1, 33, 80}) EXPECT_EQ(kv_columns(format("f16"), d), d);
  EXPECT_EQ(kv_columns(format("q8_0"), 80), 96);
  EXPECT_EQ(kv_columns(format("q4_0"), 64), 64);
  EXPECT_EQ(kv_columns(format("q4_0"), 1), 32);
  EXPECT_EQ(find_kv_layout("rows").place(format("q8_0"), 80).stride, 3 * 34);
}

}  // namespace
}  // namespace skald
