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

std::string_view chosen(const char* name, const char* type, bool device = false) {
  return choose_kv_layout(name, format(type), device).name;
}

TEST(KvLayouts, AutoTakesDimensionsWhereTheFormatAllowsIt) {
  for (const char* plain : {"f32", "f16", "bf16"}) EXPECT_EQ(chosen("auto", plain), "dims") << plain;
  for (const char* blocks : {"q8_0", "q4_0"}) EXPECT_EQ(chosen("auto", blocks), "rows") << blocks;
}

TEST(KvLayouts, AutoTakesPlanesForTheBlocksOfADevice) {
  for (const char* plain : {"f32", "f16", "bf16"}) EXPECT_EQ(chosen("auto", plain, true), "rows") << plain;
  for (const char* blocks : {"q8_0", "q4_0"}) EXPECT_EQ(chosen("auto", blocks, true), "planes") << blocks;
}

TEST(KvLayouts, TheOneNamedIsTakenIfItHoldsTheFormat) {
  EXPECT_EQ(chosen("rows", "f16"), "rows");
  EXPECT_EQ(chosen("rows", "q8_0"), "rows");
  EXPECT_EQ(chosen("dims", "bf16"), "dims");
  EXPECT_EQ(chosen("dims", "q4_0"), "rows");
}

TEST(KvLayouts, TheOneNamedIsTakenIfADeviceReadsIt) {
  EXPECT_EQ(chosen("planes", "q8_0", true), "planes");
  EXPECT_EQ(chosen("dims", "f16", true), "dims");
  EXPECT_EQ(chosen("planes", "f16", true), "rows");
  for (const char* other : {"rows", "dims"}) EXPECT_EQ(chosen(other, "q4_0", true), "planes") << other;
}

TEST(KvLayouts, TheCpuReadsNoPlanes) {
  for (const char* type : {"f16", "q8_0"}) {
    const Error e = test::error_of([&] { choose_kv_layout("planes", format(type), false); });
    EXPECT_EQ(e.code(), Errc::kUnsupported) << type;
    EXPECT_STREQ(e.what(), "cache.layout: planes: the CPU reads no keys so; it reads rows and dims");
  }
}

TEST(KvLayouts, OfValuesAreRowsOrPlanes) {
  for (const char* type : {"f32", "f16", "bf16", "q8_0", "q4_0"}) {
    EXPECT_EQ(value_layout(format(type), false).name, "rows") << type;
    EXPECT_EQ(value_layout(format(type), true).name, format(type).block > 1 ? "planes" : "rows") << type;
  }
}

TEST(KvLayouts, HoldAPageOfKeysAndNoMore) {
  for (const KvLayout* layout : kv_layouts())
    for (const char* name : {"f32", "f16", "bf16", "q8_0", "q4_0"})
      for (int64_t d : {32, 96, 256}) {
        if (!layout->holds(format(name))) continue;
        const KeyPlace place = layout->place(format(name), d);
        EXPECT_EQ(place.bytes, format(name).bytes(d * kPageKeys)) << layout->name << ", " << name << ", " << d;
        if (layout->order == KeyOrder::kPlanes) continue;
        EXPECT_EQ(place.stride, format(name).bytes(layout->order == KeyOrder::kRows ? d : kPageKeys)) << layout->name;
        EXPECT_EQ(place.scales, 0) << layout->name;
      }
}

TEST(KvLayouts, PlanesAreCodesAndThenScales) {
  const KvLayout& planes = find_kv_layout("planes");
  for (const auto& [name, bytes_of_32] : {std::pair{"q8_0", 32}, {"q4_0", 16}})
    for (int64_t d : {32, 64, 80, 96, 128, 256}) {
      const KeyPlace place = planes.place(format(name), d);
      const int64_t blocks = kv_columns(format(name), d) / 32;
      EXPECT_EQ(place.stride, blocks * bytes_of_32) << name << ", " << d;
      EXPECT_EQ(place.scale_stride, 2 * blocks) << name << ", " << d;
      EXPECT_EQ(place.scales, kPageKeys * place.stride) << name << ", " << d;
      EXPECT_EQ(place.bytes, place.scales + kPageKeys * place.scale_stride) << name << ", " << d;
      EXPECT_EQ(place.bytes % 128, 0) << "what comes after it begins at a line";
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
