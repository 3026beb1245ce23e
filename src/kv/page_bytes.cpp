#include "kv/page_bytes.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "kv/index_pieces.h"
#include "kv/pieces.h"

namespace skald {
namespace {

using Bytes = std::span<std::byte>;
using ConstBytes = std::span<const std::byte>;

// Whether the part has the group's memory. Layers with a window keep sinks as the others keep all keys.
bool has_group(const KvCache& cache, RecordPart part, size_t g, int64_t first) {
  const bool forgets = cache.spec().groups[g].window > 0 && first >= cache.limits().sinks;
  return forgets ? part.number == static_cast<int>(g) : part.is_page();
}

// How a page's keys were made, before its memory. Those of drafts, and of a past with drops, are in no record.
struct OriginBytes {
  uint64_t generated = 0;
  uint32_t policy = 0, mixed = 0;
};
static_assert(sizeof(OriginBytes) == 16);

// Of all of its slots.
int64_t heads_of(const KvSpec& spec, const KvGroup& group) {
  int64_t n = 0;
  for (const int64_t slot : group.slots) n += spec.attention(slot).n_kv_heads;
  return n;
}

int64_t sums_bytes(const KvSpec& spec, const KvGroup& group) {
  int64_t n = 0;
  for (const int64_t slot : group.slots) {
    const AttentionState& a = spec.attention(slot);
    n += a.n_kv_heads * (int64_t{sizeof(ValueSum)} + kv_columns(*spec.v_format, a.d_v) * int64_t{sizeof(float)});
  }
  return group.value_sums ? n : 0;
}

int64_t index_bytes(const KvSpec& spec, const KvGroup& group) {
  int64_t n = 0;
  for (const int64_t slot : group.slots) {
    const KeyIndexView& index = spec.views[static_cast<size_t>(slot)].index;
    const AttentionState& a = spec.attention(slot);
    const int64_t column = IndexColumns{kPageKeys, index.kind}.bytes();  // of a run of one page
    if (index.kind != KeyIndex::kNone) n += a.n_kv_heads * a.d_k * column;
    if (index.has_bounds()) n += a.n_kv_heads * bounds_bytes(a.d_k);
  }
  return n;
}

// A block's sums are kept with its last page; those that a window may lose, with checkpoints.
bool keeps_sums(const KvGroup& group, int64_t first) {
  return group.value_sums && !group.window && (first + kPageKeys) % group.run_keys == 0;
}

// The blocks whose sums the token at position n wants, of a group with a window.
struct Blocks {
  int64_t from, end, step;
};
Blocks blocks_seen(const KvGroup& group, int64_t n) {
  const int64_t from = std::max<int64_t>(0, n + 1 - group.window);
  return {from - from % group.run_keys, n, group.run_keys};
}

template <class Runs>
auto* run_with(Runs&& runs, int64_t position) {
  const auto holds = [position](const auto& run) { return run.first <= position && position < run.end; };
  const auto at = std::ranges::find_if(runs, holds);
  return at == runs.end() ? nullptr : &*at;
}

// The run that holds a block's sums.
const IndexRun* sum_run(std::span<const IndexRun> runs, int64_t block, int64_t block_keys) {
  const IndexRun* last = nullptr;
  for (const IndexRun& run : runs)
    if (run.first >= block && run.first < block + block_keys) last = &run;
  return last;
}

ValueSum head_of(ConstBytes sum) {
  ValueSum head{};
  std::memcpy(&head, sum.data(), sizeof head);
  return head;
}

// Whether a block's sum is that of its first `keys` keys.
bool sums_up(const ValueSum& sum, int64_t keys) { return sum.end == keys && sum.count >= 0 && sum.count <= keys; }

// Sums that go on past `keys` of the block are of another text: they are made again.
void forget_sums_past(DeviceMemory& memory, const KvSpec& spec, const KvGroup& group, const IndexRun& run, int64_t keys) {
  if (!group.value_sums) return;
  ReadPieces pieces;
  std::vector<ValueSum> there(static_cast<size_t>(heads_of(spec, group)));
  size_t i = 0;
  for_sums(spec, group, run, [&](ValueSum& sum, int64_t) {
    pieces.add(raw(there[i++]), 0, {raw(sum), int64_t{sizeof sum}});
  });
  pieces.read(memory);
  i = 0;
  for_sums(spec, group, run, [&](ValueSum& sum, int64_t bytes) {
    if (there[i++].end > keys) memory.clear(raw(sum), bytes);
  });
}

}  // namespace

std::vector<RecordPart> parts_of(const KvCache& cache, int64_t first, int64_t end) {
  const KvSpec& spec = cache.spec();
  std::vector<RecordPart> out = {{}};
  for (size_t g = 0; g < spec.groups.size(); ++g) {
    const KvGroup& group = spec.groups[g];
    const bool sees = group.window && first >= cache.limits().sinks && first + kPageKeys > end + 1 - group.window;
    if (sees) out.push_back({static_cast<int>(g)});
  }
  if (spec.shares_whole() && first + kPageKeys == end) out.push_back({RecordPart::kCheckpoint});
  return out;
}

// Of each of the cache's shards.
static int64_t shard_bytes(const KvCache& cache, RecordPart part, int64_t first) {
  const KvSpec& spec = cache.spec();
  int64_t n = part.number == RecordPart::kCheckpoint ? spec.recurrent_floats * int64_t{sizeof(float)} : 0;
  for (size_t g = 0; g < spec.groups.size(); ++g) {
    const KvGroup& group = spec.groups[g];
    if (part.number == RecordPart::kCheckpoint) {
      const Blocks blocks = blocks_seen(group, first + kPageKeys);
      if (group.window) n += ceil_div(blocks.end - blocks.from, blocks.step) * sums_bytes(spec, group);
    } else if (has_group(cache, part, g, first)) {
      n += int64_t{sizeof(OriginBytes)} + cache.pool(g).page_bytes() + index_bytes(spec, group);
      if (keeps_sums(group, first)) n += sums_bytes(spec, group);
    }
  }
  return n;
}

int64_t payload_bytes(const KvCache& cache, RecordPart part, int64_t first) {
  return static_cast<int64_t>(cache.shards()) * shard_bytes(cache, part, first);
}

// One shard's into `left`, which it takes; false: there is none.
static bool read_shard(const KvCache& cache, const SharedPages& page, RecordPart part, const ReusePolicy& reuse,
                       size_t shard, Bytes& left) {
  const KvSpec& spec = cache.spec();
  for (size_t g = 0; g < spec.groups.size(); ++g) {
    if (!has_group(cache, part, g, page.first)) continue;
    const KvGroup& group = spec.groups[g];
    const SharedPages::Group& from = page.groups[g];
    const PageRef& keys = from.pages[0];
    if (!keys || reuse.taken(keys.origin(), kPageKeys) < kPageKeys) return false;
    const OriginBytes origin{keys.origin().generated, keys.origin().policy, keys.origin().mixed};
    std::memcpy(take_first(left, sizeof origin).data(), &origin, sizeof origin);
    ReadPieces pieces;
    const auto add = [&](const Strip& from) { pieces.add(take_first(left, from.size()), from); };
    add(cache.pool(g).strip(keys));
    if (group.has_index()) {
      const auto* const entry = from.runs.empty() ? nullptr : &from.runs.back();
      if (!entry || entry->run.first > page.first || entry->run.end < page.end) return false;
      for_key_columns(spec, group, entry->run, page.first, page.end,
                      [&](const RunColumns& columns) { add_columns(pieces, take_first(left, columns.bytes()), columns); });
      if (keeps_sums(group, page.first))
        for_sums(spec, group, entry->run, [&](ValueSum& sum, int64_t n) { add({raw(sum), n}); });
    }
    pieces.read(cache.memory_of_group(g).shard(shard));
  }
  return true;
}

std::optional<std::vector<std::byte>> read_page(const KvCache& cache, const SharedPages& page, RecordPart part,
                                                const ReusePolicy& reuse) {
  SKALD_ASSERT(page.end == page.first + kPageKeys && part.number != RecordPart::kCheckpoint);
  std::vector<std::byte> out(static_cast<size_t>(payload_bytes(cache, part, page.first)));
  Bytes left(out);
  for (size_t shard = 0; shard < cache.shards(); ++shard)
    if (!read_shard(cache, page, part, reuse, shard, left)) return {};
  return out;
}

std::optional<std::vector<std::byte>> SequenceBytes::read_checkpoint(const KvSequence& kv) {
  const int64_t n = kv.length();
  SKALD_ASSERT(n > 0 && n % kPageKeys == 0);
  std::vector<std::byte> out(static_cast<size_t>(payload_bytes(*kv.cache_, {RecordPart::kCheckpoint}, n - kPageKeys)));
  Bytes left(out);
  for (size_t shard = 0; shard < kv.cache_->shards(); ++shard)
    if (!read_checkpoint(kv, shard, left)) return {};
  return out;
}

bool SequenceBytes::read_checkpoint(const KvSequence& kv, size_t shard, Bytes& left) {
  KvCache& cache = *kv.cache_;
  const KvSpec& spec = cache.spec();
  const int64_t n = kv.length();
  if (const int64_t bytes = spec.recurrent_floats * int64_t{sizeof(float)}) {
    if (!kv.recurrent_ || kv.stepping_) return false;
    cache.recurrent().read(*kv.recurrent_, take_first(left, bytes), shard);
  }
  for (size_t g = 0; g < spec.groups.size(); ++g) {
    const KvGroup& group = spec.groups[g];
    if (!group.window || !group.value_sums) continue;
    const Blocks blocks = blocks_seen(group, n);
    for (int64_t block = blocks.from; block < blocks.end; block += blocks.step) {
      const IndexRun* const run = sum_run(kv.tables_[g].runs.runs(), block, blocks.step);
      if (!run) return false;
      ReadPieces pieces;
      Bytes sums = left;
      for_sums(spec, group, *run, [&](ValueSum& sum, int64_t m) { pieces.add(take_first(left, m), {raw(sum), m}); });
      pieces.read(cache.memory_of_group(g).shard(shard));
      bool settled = true;
      for_sums(spec, group, *run, [&](const ValueSum&, int64_t m) {
        settled = settled && sums_up(head_of(take_first(sums, m)), std::min(n - block, blocks.step));
      });
      if (!settled) return false;
    }
  }
  return true;
}

bool SequenceBytes::write(KvSequence& kv, RecordPart part, std::span<const std::byte> bytes) {
  SKALD_ASSERT(kv.length() % kPageKeys == 0);
  if (std::ssize(bytes) != payload_bytes(*kv.cache_, part, kv.length())) return false;
  for (size_t shard = 0; shard < kv.cache_->shards(); ++shard) {
    if (part.number != RecordPart::kCheckpoint)
      write_shard(kv, part, shard, bytes);
    else if (!write_checkpoint(kv, shard, bytes))
      return false;
  }
  return true;
}

void SequenceBytes::write_shard(KvSequence& kv, RecordPart part, size_t shard, ConstBytes& bytes) {
  KvCache& cache = *kv.cache_;
  const KvSpec& spec = cache.spec();
  const int64_t first = kv.length();
  for (size_t g = 0; g < spec.groups.size(); ++g) {
    if (!has_group(cache, part, g, first)) continue;
    const KvGroup& group = spec.groups[g];
    DeviceMemory& memory = cache.memory_of_group(g).shard(shard);
    const KvSequence::Table& table = kv.tables_[g];
    const PageRef& page = table.pages[static_cast<size_t>((first - table.shift) / kPageKeys)];
    SKALD_ASSERT(!page.shared());
    OriginBytes origin;
    std::memcpy(&origin, take_first(bytes, sizeof origin).data(), sizeof origin);
    page.origin() = {.generated = origin.generated, .policy = origin.policy, .mixed = origin.mixed != 0};
    WritePieces pieces;
    const Strip keys = cache.pool(g).strip(page);
    pieces.add(take_first(bytes, keys.size()), keys);
    if (group.has_index()) {
      const IndexRun* const run = run_with(table.runs.runs(), first);
      SKALD_ASSERT(run && run->end >= first + kPageKeys);
      for_key_columns(spec, group, *run, first, first + kPageKeys,
                      [&](const RunColumns& columns) { add_columns(pieces, take_first(bytes, columns.bytes()), columns); });
      forget_sums_past(memory, spec, group, *run, first % group.run_keys);
      if (keeps_sums(group, first))
        for_sums(spec, group, *run, [&](ValueSum& sum, int64_t n) {
          const ConstBytes kept = take_first(bytes, n);
          if (sums_up(head_of(kept), group.run_keys)) pieces.add(kept, {raw(sum), n});  // else it was not made yet
        });
    }
    pieces.write(memory);
  }
}

// A record holds a page's codes, not its keys as they came.
void SequenceBytes::end_page(KvSequence& kv) {
  kv.move_to(kv.length() + kPageKeys);
  for (KvSequence::Table& table : kv.tables_) table.open.clear();
}

// What is shared has its sums already.
bool SequenceBytes::write_checkpoint(KvSequence& kv, size_t shard, ConstBytes& bytes) {
  KvCache& cache = *kv.cache_;
  const KvSpec& spec = cache.spec();
  const int64_t n = kv.length() + kPageKeys;
  if (const int64_t states = spec.recurrent_floats * int64_t{sizeof(float)})
    cache.recurrent().write(*kv.recurrent_, take_first(bytes, states), shard);
  bool good = true;
  for (size_t g = 0; g < spec.groups.size(); ++g) {
    const KvGroup& group = spec.groups[g];
    if (!group.window || !group.value_sums) continue;
    const Blocks blocks = blocks_seen(group, n);
    for (int64_t block = blocks.from; block < blocks.end; block += blocks.step) {
      ConstBytes sums = take_first(bytes, sums_bytes(spec, group));
      const IndexRun* const run = sum_run(kv.tables_[g].runs.runs(), block, blocks.step);
      if (!run || run->shared) continue;
      WritePieces pieces;
      for_sums(spec, group, *run, [&](ValueSum& sum, int64_t m) {
        const ConstBytes kept = take_first(sums, m);
        good = good && sums_up(head_of(kept), std::min(n - block, blocks.step));
        if (good) pieces.add(kept, {raw(sum), m});
      });
      pieces.write(cache.memory_of_group(g).shard(shard));
    }
  }
  return good;
}

}  // namespace skald
