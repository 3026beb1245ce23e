// What the cache of a model holds: groups of layers by window, and pages in which no byte belongs to two layers or heads.
#include "kv/spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "quant/registry.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

using testing::ElementsAre;

const std::vector<StateSpec> kOneLayer = {AttentionState{.n_kv_heads = 2, .d_k = 32, .d_v = 64}};
/// Layers of different sizes, two of them with a window.
const std::vector<StateSpec> kManyLayers = {AttentionState{.n_kv_heads = 2, .d_k = 32, .d_v = 64},
                                            AttentionState{.n_kv_heads = 3, .d_k = 7, .d_v = 5, .window = 100},
                                            AttentionState{.n_kv_heads = 1, .d_k = 128, .d_v = 128},
                                            AttentionState{.n_kv_heads = 1, .d_k = 1, .d_v = 1, .window = 100}};

TEST(KvSpec, TakesTheTypesThatKernelsHave) {
  for (const char* type : {"f32", "f16", "bf16", "q8_0", "q4_0"}) {
    const KvSpec k = make_kv_spec(kOneLayer, {.k_type = type}, 1000), v = make_kv_spec(kOneLayer, {.v_type = type}, 1000);
    EXPECT_EQ(k.k_format->name, type);
    EXPECT_EQ(k.v_format->name, "f16");
    EXPECT_EQ(v.k_format->name, "f16");
    EXPECT_EQ(v.v_format->name, type);
  }
}

TEST(KvSpec, NamesTheTypeThatItDoesNotKnow) {
  for (const char* type : {"q8_9", "", "i32", "auto"}) {
    const Error k = test::error_of([&] { make_kv_spec({}, {.k_type = type}, 1000); }),
                v = test::error_of([&] { make_kv_spec({}, {.v_type = type}, 1000); });
    EXPECT_EQ(k.code(), Errc::kBadInput) << type;
    EXPECT_EQ(v.code(), Errc::kBadInput) << type;
    EXPECT_TRUE(std::string(k.what()).starts_with("cache.type_k: '" + std::string(type) + "'")) << k.what();
    EXPECT_TRUE(std::string(v.what()).starts_with("cache.type_v: '" + std::string(type) + "'")) << v.what();
    EXPECT_THAT(k.what(), testing::HasSubstr("f32, f16, bf16, q8_0, q4_0"));
  }
}

TEST(KvSpec, RefusesAnUnknownLayout) {
  EXPECT_EQ(test::error_of([] { make_kv_spec({}, {.layout = "spiral"}, 1000); }).code(), Errc::kBadInput);
}

// Runs of the index: columns of 2 to 8 KB, and two runs or more of what a sequence or a window holds.
TEST(KvSpec, HasLongerRunsOfTheIndexForLongerContexts) {
  const auto runs = [](KeyIndex index, int64_t max_keys, std::vector<StateSpec> layers = kOneLayer) {
    std::vector<int64_t> keys;
    for (const KvGroup& group : make_kv_spec(std::move(layers), {.index = index}, max_keys).groups)
      keys.push_back(group.run_keys);
    return keys;
  };
  EXPECT_THAT(runs(KeyIndex::kInt8, 100), ElementsAre(2048));
  EXPECT_THAT(runs(KeyIndex::kInt8, 4095), ElementsAre(2048));
  EXPECT_THAT(runs(KeyIndex::kInt8, 8191), ElementsAre(4096));
  EXPECT_THAT(runs(KeyIndex::kInt8, 8192), ElementsAre(8192));
  EXPECT_THAT(runs(KeyIndex::kInt8, 1 << 20), ElementsAre(8192));
  EXPECT_THAT(runs(KeyIndex::kF16, 100), ElementsAre(1024));
  EXPECT_THAT(runs(KeyIndex::kF16, 2048), ElementsAre(2048));
  EXPECT_THAT(runs(KeyIndex::kF16, 1 << 20), ElementsAre(4096));
  EXPECT_THAT(runs(KeyIndex::kF16, 1 << 20, kManyLayers), ElementsAre(4096, 1024));
}

TEST(KvSpec, PutsKeysByDimensionsExceptWhereTheyHaveBlocks) {
  EXPECT_EQ(make_kv_spec(kOneLayer, {}, 1000).groups[0].k_layout->name, "dims");
  EXPECT_EQ(make_kv_spec(kOneLayer, {}, 1000).views[0].k_order, KeyOrder::kDims);
  EXPECT_EQ(make_kv_spec(kOneLayer, {.v_type = "q8_0"}, 1000).groups[0].k_layout->name, "dims");
  EXPECT_EQ(make_kv_spec(kOneLayer, {.k_type = "q8_0"}, 1000).groups[0].k_layout->name, "rows");
  EXPECT_EQ(make_kv_spec(kOneLayer, {.k_type = "q4_0", .layout = "dims"}, 1000).views[0].k_order, KeyOrder::kRows);
  EXPECT_EQ(make_kv_spec(kOneLayer, {.layout = "rows"}, 1000).views[0].k_order, KeyOrder::kRows);
}

TEST(KvSpec, PutsSingleKeysInRows) {
  EXPECT_EQ(make_kv_spec(kOneLayer, {.single_keys = true}, 1000).views[0].k_order, KeyOrder::kRows);
  EXPECT_EQ(make_kv_spec(kOneLayer, {.layout = "dims", .single_keys = true}, 1000).views[0].k_order, KeyOrder::kDims);
  EXPECT_EQ(make_kv_spec(kOneLayer, {.k_type = "kc8", .single_keys = true}, 1000).views[0].k_order, KeyOrder::kRows);
  EXPECT_EQ(make_kv_spec(kOneLayer, {.k_type = "kc8"}, 1000).views[0].k_order, KeyOrder::kDims);
}

TEST(KvSpec, TransformsOnlyWhatIsQuantised) {
  const KvSpec both = make_kv_spec(kOneLayer, {.k_type = "q8_0", .v_type = "q4_0"}, 1000),
               values = make_kv_spec(kOneLayer, {.v_type = "q8_0"}, 1000),
               off = make_kv_spec(kOneLayer, {.k_type = "q8_0", .v_type = "q8_0", .rotate = false}, 1000);
  EXPECT_TRUE(both.views[0].k_rotated && both.views[0].v_rotated && both.k_rotated && both.v_rotated);
  EXPECT_TRUE(!values.views[0].k_rotated && values.views[0].v_rotated);
  EXPECT_FALSE(off.views[0].k_rotated || off.views[0].v_rotated);
}

TEST(KvSpec, ViewsCarryTheFormats) {
  const KvSpec spec = make_kv_spec(kOneLayer, {.k_type = "q8_0", .v_type = "f32"}, 1000);
  EXPECT_EQ(spec.views[0].k_format, find_format(std::string_view("q8_0"))->id);
  EXPECT_EQ(spec.views[0].v_format, format_f32.id);
}

TEST(KvSpec, GroupsLayersByTheirWindow) {
  const auto layer = [](int64_t window) { return AttentionState{.n_kv_heads = 1, .d_k = 8, .d_v = 8, .window = window}; };
  const KvSpec spec = make_kv_spec({layer(100), layer(0), layer(50), layer(100), layer(0)}, {}, 1000);
  ASSERT_EQ(spec.groups.size(), 3u);
  EXPECT_EQ(spec.groups[0].window, 100);
  EXPECT_THAT(spec.groups[0].slots, ElementsAre(0, 3));
  EXPECT_EQ(spec.groups[1].window, 0);
  EXPECT_THAT(spec.groups[1].slots, ElementsAre(1, 4));
  EXPECT_EQ(spec.groups[2].window, 50);
  EXPECT_THAT(spec.groups[2].slots, ElementsAre(2));
  EXPECT_THAT(spec.group_of, ElementsAre(0, 1, 2, 0, 1));
  EXPECT_EQ(spec.groups[0].slab.bytes, spec.groups[1].slab.bytes);
  EXPECT_EQ(spec.groups[0].slab.bytes, 2 * spec.groups[2].slab.bytes);
}

TEST(KvSpec, WindowsThatNoSequenceLeavesCountAsNone) {
  const auto group_of = [](int64_t window) {
    return make_kv_spec({AttentionState{.n_kv_heads = 1, .d_k = 8, .d_v = 8, .window = window}}, {}, 1000).groups.front();
  };
  EXPECT_EQ(group_of(999).window, 999);
  EXPECT_EQ(group_of(1000).window, 0);
  EXPECT_EQ(group_of(5000).window, 0);
  const KvSpec one = make_kv_spec(kManyLayers, {}, 64);
  EXPECT_EQ(one.groups.size(), 1u) << "with those that have none";
  EXPECT_EQ(one.attention(1).window, 100) << "what the model says stays";
}

// Slabs are about as long as runs of the index, and a whole number of them holds what a sequence can have.
TEST(KvSpec, LaysPagesThatAnIndexChoosesFromTogether) {
  const auto slab = [](int64_t max_keys, KeyIndex index, std::vector<StateSpec> layers = kOneLayer) {
    return make_kv_spec(std::move(layers), {.layout = "rows", .index = index}, max_keys).groups.front().slab;
  };
  EXPECT_EQ(slab(100, KeyIndex::kInt8).pages, 4);
  EXPECT_EQ(slab(8192, KeyIndex::kInt8).pages, 130);
  EXPECT_EQ(slab(8192, KeyIndex::kF16).pages, 65);
  EXPECT_EQ(slab(16384, KeyIndex::kInt8).pages, 129);
  EXPECT_EQ(slab(8192, KeyIndex::kNone).pages, 1);
  EXPECT_EQ(slab(8192, KeyIndex::kInt8, kManyLayers).pages, 1) << "a page begins at the same step in all layers";
  EXPECT_EQ(slab(8192, KeyIndex::kInt8, {AttentionState{.n_kv_heads = 1, .d_k = 8, .d_v = 8, .window = 4096}}).pages, 1);
}

TEST(KvSpec, PutsAValueBesideItsKeyWhereAnIndexPicksKeys) {
  const auto distance = [](const KvStorage& storage) {
    const KvView view = make_kv_spec({AttentionState{.n_kv_heads = 1, .d_k = 32, .d_v = 64}}, storage, 1000).views[0];
    return view.v_offset - view.k_offset;
  };
  for (const KeyIndex index : {KeyIndex::kF16, KeyIndex::kInt8}) {
    EXPECT_EQ(distance({.layout = "rows", .index = index}), 64);
    EXPECT_EQ(distance({.k_type = "q8_0", .v_type = "q8_0", .index = index}), 34);
    EXPECT_EQ(distance({.k_type = "q8_0", .v_type = "f32", .index = index}), kPageKeys * 34);
    EXPECT_EQ(distance({.layout = "dims", .index = index}), kPageKeys * 64);
  }
  EXPECT_EQ(distance({.layout = "rows"}), kPageKeys * 64);
}

TEST(KvSpec, WithoutLayersHasNoGroups) { EXPECT_TRUE(make_kv_spec({}, {}, 1000).groups.empty()); }

struct Range {
  int64_t begin, end;
  std::string what;
};

// Rows or dimensions of a head's keys, and its values. `page` is an offset: so are the addresses then.
void add_head(const KvSpec& spec, int64_t l, int64_t head, std::byte* page, std::vector<Range>& out) {
  const AttentionState& layer = spec.attention(l);
  KvView view = spec.views[static_cast<size_t>(l)];
  view.pages = view.v_pages = &page;
  const std::string at = " of layer " + std::to_string(l) + ", head " + std::to_string(head);
  const auto add = [&](const std::byte* first, int64_t bytes, const std::string& what) {
    const auto begin = reinterpret_cast<int64_t>(first);
    out.push_back({begin, begin + bytes, what + at});
  };
  for (int64_t i = 0; i < kPageKeys; ++i) {
    const std::string key = std::to_string(i);
    if (view.k_order == KeyOrder::kRows)
      add(view.k_row(head, i), spec.k_format->bytes(kv_columns(*spec.k_format, layer.d_k)), "key " + key);
    add(view.v_row(head, i), spec.v_format->bytes(kv_columns(*spec.v_format, layer.d_v)), "value " + key);
  }
  if (view.k_order == KeyOrder::kDims)
    for (int64_t j = 0; j < layer.d_k; ++j)
      add(view.k_page(head, 0) + j * view.k_stride, spec.k_format->bytes(kPageKeys), "dimension " + std::to_string(j));
}

void expect_apart(const KvSpec& spec, const KvGroup& group) {
  std::vector<Range> ranges;
  for (int64_t l : group.slots)
    for (int64_t head = 0; head < spec.attention(l).n_kv_heads; ++head)
      for (int64_t page = 0; page < group.slab.pages; ++page)
        add_head(spec, l, head, reinterpret_cast<std::byte*>(page * group.slab.step), ranges);
  std::ranges::sort(ranges, {}, &Range::begin);
  EXPECT_GE(ranges.front().begin, 0);
  for (size_t i = 1; i < ranges.size(); ++i)
    ASSERT_LE(ranges[i - 1].end, ranges[i].begin) << ranges[i - 1].what << " and " << ranges[i].what;
  EXPECT_LE(ranges.back().end, group.slab.bytes);
}

TEST(KvSpec, KeepsEveryValueApartAndInsideThePage) {
  for (const char* k : {"f32", "f16", "bf16", "q8_0", "q4_0"})
    for (const char* v : {"f32", "f16", "bf16", "q8_0", "q4_0"})
      for (const char* layout : {"rows", "dims"}) {
        SCOPED_TRACE(std::string(k) + "/" + v + ", " + layout);
        const KvSpec spec = make_kv_spec(kManyLayers, {.k_type = k, .v_type = v, .layout = layout}, 1000);
        ASSERT_EQ(spec.groups.size(), 2u);
        for (const KvGroup& group : spec.groups) expect_apart(spec, group);
        const std::vector<StateSpec> same(3, AttentionState{.n_kv_heads = 3, .d_k = 7, .d_v = 5});
        const KvSpec slabs = make_kv_spec(same, {.k_type = k, .v_type = v, .layout = layout, .index = KeyIndex::kInt8}, 100);
        ASSERT_EQ(slabs.groups.front().slab.pages, 4);
        expect_apart(slabs, slabs.groups.front());
      }
}

TEST(KvSpec, WastesNothingButAlignment) {
  for (const char* layout : {"rows", "dims"}) {
    const KvSpec spec = make_kv_spec(kOneLayer, {.k_type = "f16", .v_type = "q8_0", .layout = layout}, 1000);
    EXPECT_EQ(spec.groups[0].slab.bytes, 2 * kPageKeys * (32 * 2 + 2 * 34)) << layout;
  }
}

TEST(KvSpec, LayersBeginAtCacheLines) {
  const KvSpec spec = make_kv_spec(kManyLayers, {.k_type = "q8_0", .v_type = "q4_0"}, 1000);
  for (const KvView& view : spec.views) {
    EXPECT_EQ(view.k_offset % 64, 0);
    EXPECT_EQ(view.v_offset % 64, 0);
  }
  for (const KvGroup& group : spec.groups) EXPECT_EQ(group.slab.bytes % 64, 0);
}

}  // namespace
}  // namespace skald
