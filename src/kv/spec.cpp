#include "kv/spec.h"

#include <algorithm>
#include <array>

#include "base/checked.h"
#include "base/error.h"
#include "base/lowercase.h"
#include "kernels/api/key_sums.h"
#include "quant/registry.h"

namespace skald {
namespace {

constexpr int64_t kRecurrentAlignment = 16;  // floats of a cache line

/// A type of keys that are coded page by page.
struct CodedType {
  std::string_view name;
  KeyCodes codes;
};
constexpr std::array<CodedType, 2> kCodedTypes{{{"kc8", KeyCodes::kBytes}, {"kc4", KeyCodes::kNibbles}}};

const CodedType* coded_type(std::string_view name) {
  const auto* const type = std::ranges::find(kCodedTypes, name, &CodedType::name);
  return type == kCodedTypes.end() ? nullptr : type;
}

constexpr std::array<std::string_view, 5> kFormats{"f32", "f16", "bf16", "q8_0", "q4_0"};
bool is_format(std::string_view name) { return std::ranges::find(kFormats, name) != kFormats.end(); }

const Format* value_format(std::string_view type) {
  const std::string name = lowercase(type);
  if (coded_type(name)) fail(Errc::kBadInput, "cache.type_v: {} is a type of keys alone: take it with -ctk", name);
  if (!is_format(name))
    fail(Errc::kBadInput, "cache.type_v: '{}' is not a KV cache type; known: f32, f16, bf16, q8_0, q4_0", name);
  return find_format(name);
}

/// How keys of a type are stored.
struct KeyType {
  std::string_view name;
  const Format* format;  // of keys that are no codes
  KeyCodes codes;

  double number_bytes() const {
    return codes == KeyCodes::kNone ? format->bytes_per_number() : CodedPage::bytes_per_number(codes);
  }
};

KeyType key_type(std::string_view type) {
  const std::string name = lowercase(type);
  if (const CodedType* const coded = coded_type(name)) return {coded->name, &format_f16, coded->codes};
  if (!is_format(name))
    fail(Errc::kBadInput, "cache.type_k: '{}' is not a KV cache type; known: f32, f16, bf16, q8_0, q4_0, kc8, kc4", name);
  const Format* const format = find_format(name);
  return {format->name, format, KeyCodes::kNone};
}

size_t group_with(std::vector<KvGroup>& groups, int64_t window, size_t memory) {
  for (size_t i = 0; i < groups.size(); ++i)
    if (groups[i].window == window && groups[i].memory == memory) return i;
  groups.push_back({.window = window, .memory = memory});
  return groups.size() - 1;
}

KeyPlace key_place(const KvSpec& spec, const KvGroup& group, const AttentionState& layer) {
  if (spec.k_codes == KeyCodes::kNone) return group.k_layout->place(*spec.k_format, layer.d_k);
  const CodedPage page{spec.k_codes, layer.d_k, group.k_layout->order};
  return {.stride = page.stride(), .bytes = page.bytes()};
}

KeyPlace value_place(const KvSpec& spec, const KvGroup& group, const AttentionState& layer) {
  return group.v_layout->place(*spec.v_format, layer.d_v);
}

int64_t head_bytes(const KvSpec& spec, const KvGroup& group, const AttentionState& layer) {
  return key_place(spec, group, layer).bytes + value_place(spec, group, layer).bytes;
}

// Rows that an index chooses are found faster in pages that lie together: SparQ takes 6 to 8 % less time with slabs about as
// long as the index's runs. One page where the group's layers differ (a page of a slab begins at the same step in all of
// them) and in windows, where part of a slab would lie idle.
PageSlab slab_for(const KvSpec& spec, const KvGroup& group, int64_t max_keys) {
  const auto bytes_of = [&](int64_t slot) { return head_bytes(spec, group, spec.attention(slot)); };
  const int64_t step = bytes_of(group.slots.front());
  const bool same = std::ranges::all_of(group.slots, [&](int64_t slot) { return bytes_of(slot) == step; });
  if (!same || group.window) return {};
  const int64_t pages = most_pages(max_keys);
  return {.pages = ceil_div(pages, std::max<int64_t>(1, pages * kPageKeys / group.run_keys)), .step = step};
}

// Places the layer after those that the group's open page already has.
OpenKeys place_open(const KvSpec& spec, const AttentionState& layer, KvGroup& group) {
  if (layer.d_k > kMostCodedColumns)
    fail(Errc::kUnsupported, "cache.type_k: {} takes heads of at most {} components, not of {}", spec.k_type,
         kMostCodedColumns, layer.d_k);
  const int64_t row = spec.k_format->bytes(layer.d_k);
  const OpenKeys open{.offset = group.open_bytes, .head_stride = kPageKeys * row, .stride = row};
  group.open_bytes += layer.n_kv_heads * open.head_stride;
  return open;
}

// Places the layer after those that the group's slab already has. A head's values follow its keys, or where an index picks
// single keys, each its own: what is read together lies together. (SparQ takes 2 to 5 % less time. Rows of different formats
// would not all begin where their numbers may lie.)
KvView place_layer(const KvSpec& spec, const AttentionState& layer, KvGroup& group, KeyIndex index) {
  const KeyPlace keys = key_place(spec, group, layer), values = value_place(spec, group, layer);
  const bool pairs = index != KeyIndex::kNone && group.k_layout->order == KeyOrder::kRows &&
                     spec.k_format == spec.v_format && spec.k_codes == KeyCodes::kNone;
  KvView view;
  view.k_offset = group.slab.bytes;
  view.k_stride = pairs ? keys.stride + values.stride : keys.stride;
  view.v_stride = pairs ? view.k_stride : values.stride;
  view.v_offset = view.k_offset + (pairs ? keys.stride : keys.bytes);
  view.k_head_stride = view.v_head_stride = group.slab.pages * head_bytes(spec, group, layer);
  view.k_format = spec.k_format->id;
  view.v_format = spec.v_format->id;
  view.k_order = group.k_layout->order;
  view.v_order = group.v_layout->order;
  view.k_rotated = spec.k_rotated;
  view.v_rotated = spec.v_rotated;
  if (spec.k_codes != KeyCodes::kNone) view.open = place_open(spec, layer, group);
  view.k_codes = spec.k_codes;
  group.key_bytes += layer.n_kv_heads * group.slab.pages * keys.bytes;
  group.slab.bytes = view.k_offset + layer.n_kv_heads * view.k_head_stride;
  return view;
}

// Columns of a run of the index are at least 2 KB long: shorter ones do not stream. Those of 8 KB are read a fifth faster,
// but memory comes in whole runs: none is longer than this many keys.
int64_t run_keys(KeyIndex index, int64_t keys) {
  const int64_t code_bytes = index == KeyIndex::kF16 ? 2 : 1;  // codes of 4 bits are in runs of as many keys
  int64_t column = 2048;
  while (column < 8192 && 2 * column <= keys * code_bytes) column *= 2;
  return column / code_bytes;
}

// Of a branch that leaves a shared run: an eighth of a long one, and of 256 keys at least, so that a fork costs little.
int64_t short_keys(int64_t run_keys) { return std::max<int64_t>(256, run_keys / 8); }

// Places the layer's index after those that a run of this length already has.
IndexPlace place_index(const KvSpec& spec, const AttentionState& layer, const KvStorage& storage, int64_t run_keys,
                       int64_t& run_bytes) {
  IndexPlace place{.run_keys = run_keys, .offset = run_bytes};
  int64_t bytes = 0;
  if (storage.index != KeyIndex::kNone) bytes = round_up(layer.d_k * IndexColumns{run_keys, storage.index}.stride(), 64);
  if (storage.value_sums) {
    place.sums = bytes + 64;  // never 0
    bytes = place.sums + static_cast<int64_t>(sizeof(ValueSum)) +
            kv_columns(*spec.v_format, layer.d_v) * static_cast<int64_t>(sizeof(float));
  }
  if (storage.page_bounds) {
    place.bounds = round_up(bytes, 64) + 64;  // never 0
    bytes = place.bounds + run_keys / kPageKeys * bounds_bytes(layer.d_k);
  }
  place.head_stride = round_up(bytes, 64);
  run_bytes += layer.n_kv_heads * place.head_stride;
  return place;
}

KeyIndexView place_index(const KvSpec& spec, const AttentionState& layer, const KvStorage& storage, KvGroup& group) {
  return {.kind = storage.index,
          .places = {place_index(spec, layer, storage, group.run_keys, group.run_bytes[0]),
                     place_index(spec, layer, storage, group.short_keys, group.run_bytes[1])}};
}

// Names the layouts of the groups, each once.
std::string layouts_of(const KvSpec& spec, const KvLayout* KvGroup::*layout) {
  std::vector<std::string_view> names;
  for (const KvGroup& group : spec.groups)
    if (std::ranges::find(names, (group.*layout)->name) == names.end()) names.push_back((group.*layout)->name);
  return names.empty() ? "" : fmt::format(" by {}", fmt::join(names, " and "));
}

}  // namespace

void check(const KvStorage& storage) {
  key_type(storage.k_type);
  value_format(storage.v_type);
  if (storage.layout != "auto") find_kv_layout(storage.layout);
}

// Values are in rows, where nothing else is said.
std::string describe(const KvSpec& spec) {
  const std::string values = layouts_of(spec, &KvGroup::v_layout);
  return fmt::format("keys {}{}{}, values {}{}{}", spec.k_type, layouts_of(spec, &KvGroup::k_layout),
                     spec.k_rotated ? " rotated" : "", spec.v_format->name, values == " by rows" ? "" : values,
                     spec.v_rotated ? " rotated" : "");
}

// Those that become codes lie in any order.
const KvLayout& key_layout(const KvStorage& storage, bool device) {
  const bool in_rows = storage.layout == "auto" && storage.single_keys && !device;
  return choose_kv_layout(in_rows ? "rows" : storage.layout, *key_type(storage.k_type).format, device);
}

double key_number_bytes(std::string_view k_type) { return key_type(k_type).number_bytes(); }

double KvSpec::key_number_bytes() const { return KeyType{k_type, k_format, k_codes}.number_bytes(); }

bool KvSpec::shares_whole() const {
  const auto gives_up_sums = [](const KvGroup& group) { return group.window > 0 && group.value_sums; };
  return recurrent_floats > 0 || std::ranges::any_of(groups, gives_up_sums);
}

KvSpec make_kv_spec(std::vector<StateSpec> slots, const KvStorage& storage, int64_t max_keys, std::vector<size_t> memory_of,
                    const std::vector<DeviceMemory*>& memories) {
  check(storage);
  const KeyType keys = key_type(storage.k_type);
  KvSpec spec{.slots = std::move(slots),
              .k_type = keys.name,
              .k_format = keys.format,
              .v_format = value_format(storage.v_type),
              .k_codes = keys.codes,
              .memory_of = std::move(memory_of)};
  if (spec.memory_of.empty()) spec.memory_of.resize(spec.slots.size());
  SKALD_ASSERT(spec.memory_of.size() == spec.slots.size());
  spec.shares.resize(spec.slots.empty() ? 1 : std::ranges::max(spec.memory_of) + 1);
  spec.k_rotated = storage.rotate && spec.k_format->block > 1;
  spec.v_rotated = storage.rotate && spec.v_format->block > 1;
  const bool indexed = storage.index != KeyIndex::kNone || storage.value_sums || storage.page_bounds;
  for (size_t i = 0; i < spec.slots.size(); ++i) {
    const size_t memory = spec.memory_of[i];
    int64_t& floats = spec.shares[memory].recurrent_floats;
    spec.recurrent_at.push_back(floats);
    if (const auto* recurrent = std::get_if<RecurrentState>(&spec.slots[i])) {
      spec.group_of.push_back(KvSpec::kNoGroup);
      floats += round_up(recurrent->floats, kRecurrentAlignment);
      continue;
    }
    const int64_t window = std::get<AttentionState>(spec.slots[i]).window;
    const size_t g = group_with(spec.groups, window < max_keys ? window : 0, memory);
    spec.group_of.push_back(g);
    spec.groups[g].slots.push_back(static_cast<int64_t>(i));
  }
  std::array<const KvLayout*, 2> k_layouts = {};  // of the CPU and of devices, chosen once
  for (KvGroup& group : spec.groups) {
    const bool device = !memories.empty() && memories[group.memory]->of_device();
    if (!k_layouts[device]) k_layouts[device] = &key_layout(storage, device);
    group.k_layout = k_layouts[device];
    group.v_layout = &value_layout(*spec.v_format, device);
    // A window moves on: it holds a run more than it fills.
    group.run_keys = run_keys(storage.index, group.window ? group.window / 2 : max_keys);
    group.short_keys = short_keys(group.run_keys);
    group.value_sums = storage.value_sums;
    if (indexed) group.slab = slab_for(spec, group, max_keys);
  }
  for (size_t i = 0; i < spec.slots.size(); ++i) {
    spec.views.emplace_back();
    int64_t& sums = spec.shares[spec.memory_of[i]].key_sums_bytes;
    spec.key_sums_at.push_back(sums);
    if (spec.group_of[i] == KvSpec::kNoGroup) continue;
    KvGroup& group = spec.groups[spec.group_of[i]];
    const auto& attention = std::get<AttentionState>(spec.slots[i]);
    spec.views.back() = place_layer(spec, attention, group, storage.index);
    if (indexed) spec.views.back().index = place_index(spec, attention, storage, group);
    if (storage.key_sums) sums += attention.n_kv_heads * KeySums::bytes(attention.d_k);
  }
  for (const KvShare& share : spec.shares) {
    spec.recurrent_floats += share.recurrent_floats;
    spec.key_sums_bytes += share.key_sums_bytes;
  }
  return spec;
}

}  // namespace skald
