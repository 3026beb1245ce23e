// Every cache layout: no byte of a page belongs to two values, and all lie inside the page.
#include "kv/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "quant/registry.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

struct Range {
  int64_t begin, end;
  std::string what;
};

/// The bytes of every key and value of every head and layer within one page.
std::vector<Range> ranges_of(const KvLayout& layout, const KvSpec& spec) {
  std::vector<Range> out;
  std::byte* page = nullptr;  // rows come out as offsets
  for (size_t l = 0; l < spec.layers.size(); ++l) {
    KvView view = layout.view(spec, static_cast<int64_t>(l));
    view.pages = &page;
    const KvLayerSpec& layer = spec.layers[l];
    for (int64_t head = 0; head < layer.n_kv_heads; ++head)
      for (int64_t key = 0; key < spec.page_keys; ++key) {
        const std::string at =
            "layer " + std::to_string(l) + " head " + std::to_string(head) + " key " + std::to_string(key);
        const auto k = reinterpret_cast<int64_t>(view.k_row(head, key)),
                   v = reinterpret_cast<int64_t>(view.v_row(head, key));
        out.push_back({k, k + spec.k_format->bytes(layer.d_k), "K of " + at});
        out.push_back({v, v + spec.v_format->bytes(layer.d_v), "V of " + at});
      }
  }
  return out;
}

void check(const KvLayout& layout, const KvSpec& spec) {
  std::vector<Range> ranges = ranges_of(layout, spec);
  std::ranges::sort(ranges, {}, &Range::begin);
  EXPECT_GE(ranges.front().begin, 0);
  for (size_t i = 1; i < ranges.size(); ++i)
    ASSERT_LE(ranges[i - 1].end, ranges[i].begin) << ranges[i - 1].what << " and " << ranges[i].what;
  EXPECT_LE(ranges.back().end, layout.page_bytes(spec));
}

TEST(KvLayouts, KeepEveryValueApartAndInsideThePage) {
  for (const KvLayout* layout : kv_layouts())
    for (const Format* k : {&format_f32, &format_f16})
      for (const Format* v : {&format_f32, &format_f16})
        for (int64_t page_keys : {1, 16, 64}) {
          SCOPED_TRACE(std::string(layout->name) + ", " + std::to_string(page_keys) + " keys per page");
          check(*layout,
                {.layers = {{.n_kv_heads = 1, .d_k = 1, .d_v = 1}}, .k_format = k, .v_format = v, .page_keys = page_keys});
          check(*layout, {.layers = {{.n_kv_heads = 2, .d_k = 32, .d_v = 64},
                                     {.n_kv_heads = 3, .d_k = 7, .d_v = 5, .window = 4},
                                     {.n_kv_heads = 1, .d_k = 128, .d_v = 128}},
                          .k_format = k,
                          .v_format = v,
                          .page_keys = page_keys});
        }
}

TEST(KvLayouts, ViewsCarryTheSpecsFormatsAndPages) {
  const KvSpec spec{
      .layers = {{.n_kv_heads = 2, .d_k = 8, .d_v = 16}}, .k_format = &format_f16, .v_format = &format_f32, .page_keys = 32};
  for (const KvLayout* layout : kv_layouts()) {
    const KvView view = layout->view(spec, 0);
    EXPECT_EQ(view.page_keys, 32) << layout->name;
    EXPECT_EQ(view.k_format, format_f16.id) << layout->name;
    EXPECT_EQ(view.v_format, format_f32.id) << layout->name;
  }
}

TEST(KvLayouts, RowsWastesNothingButAlignment) {
  const KvSpec spec{.layers = {{.n_kv_heads = 2, .d_k = 32, .d_v = 64}},
                    .k_format = &format_f16,
                    .v_format = &format_f32,
                    .page_keys = 64};
  EXPECT_EQ(find_kv_layout("rows").page_bytes(spec), 2 * 64 * (32 * 2 + 64 * 4));
}

TEST(KvSpec, TakesTheTypesThatKernelsHave) {
  const KvSpec spec = make_kv_spec({{.n_kv_heads = 2, .d_k = 8, .d_v = 16}}, "f16", "f32");
  EXPECT_EQ(spec.k_format, &format_f16);
  EXPECT_EQ(spec.v_format, &format_f32);
  EXPECT_EQ(spec.layers.size(), 1u);
  for (const char* type : {"q8_9", "", "i32", "bf16"}) {
    const Error k = test::error_of([&] { make_kv_spec({}, type, "f16"); }),
                v = test::error_of([&] { make_kv_spec({}, "f16", type); });
    EXPECT_EQ(k.code(), Errc::kBadInput) << type;
    EXPECT_TRUE(std::string(k.what()).starts_with("cache-type-k: '" + std::string(type) + "'")) << k.what();
    EXPECT_TRUE(std::string(v.what()).starts_with("cache-type-v: '" + std::string(type) + "'")) << v.what();
  }
}

TEST(KvLayouts, AreFoundByName) {
  for (const KvLayout* layout : kv_layouts()) EXPECT_EQ(&find_kv_layout(layout->name), layout);
  const Error e = test::error_of([] { find_kv_layout("spiral"); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_TRUE(std::string(e.what()).starts_with("unknown KV layout 'spiral'; known: ")) << e.what();
  for (const KvLayout* layout : kv_layouts())
    EXPECT_NE(std::string(e.what()).find(layout->name), std::string::npos) << e.what();
}

}  // namespace
}  // namespace skald
