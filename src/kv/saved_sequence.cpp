#include "kv/saved_sequence.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "kv/index_pieces.h"
#include "kv/pieces.h"

namespace skald {
namespace {

// f(const RunColumns&) for all that the run's keys and sums of values take.
template <class F>
void for_columns(const KvSpec& spec, const KvGroup& group, const IndexRun& run, F f) {
  for_key_columns(spec, group, run, run.first, run.end, f);
  for_sums(spec, group, run, [&](ValueSum& sum, int64_t bytes) { f(RunColumns{Strip{raw(sum), bytes}}); });
}

// Of bytes of all shards, one after the other, those of one.
template <class Bytes>
auto of_shard(Bytes& bytes, size_t shard, size_t shards) {
  const size_t n = bytes.size() / shards;
  return std::span(bytes).subspan(shard * n, n);
}

}  // namespace

SavedSequence::SavedSequence(const KvSequence& from)
    : length_(from.length_), dropped_(from.dropped_), prefix_(from.prefix_) {
  KvCache& cache = *from.cache_;
  for (size_t g = 0; g < from.tables_.size(); ++g) {
    tables_.push_back(save(cache, g, from.tables_[g]));
    const auto runs = [&](RunLength length) {
      return std::ranges::count(tables_.back().runs, length, [](const Run& run) { return run.at.length; });
    };
    need_.counts.insert(need_.counts.end(), {std::ssize(tables_.back().pages), runs(RunLength::kLong),
                                             runs(RunLength::kShort), std::ssize(tables_.back().open)});
  }
  if (from.recurrent_) {
    recurrent_.resize(cache.shards() * static_cast<size_t>(cache.recurrent().block_bytes()));
    for (size_t shard = 0; shard < cache.shards(); ++shard)
      cache.recurrent().read(*from.recurrent_, of_shard(recurrent_, shard, cache.shards()), shard);
  }
  need_.counts.push_back(recurrent_.empty() ? 0 : 1);
}

// Without what was reserved beyond the length.
SavedSequence::Table SavedSequence::save(KvCache& cache, size_t g, const KvSequence::Table& from) const {
  Table table{.pages = {},
              .runs = {},
              .open = {},
              .first_open = from.open.first(),
              .kept = from.kept,
              .begin = from.begin,
              .shift = from.shift};
  const KvGroup& group = cache.spec().groups[g];
  const size_t shards = cache.shards();
  const auto pages = static_cast<size_t>(std::max<int64_t>(0, ceil_div(length_ - from.shift, kPageKeys)));
  for (size_t i = 0; i < std::min(pages, from.pages.size()); ++i)
    table.pages.push_back({Bytes(shards * static_cast<size_t>(cache.pool(g).page_bytes())), from.pages[i].origin()});
  for (IndexRun run : from.runs.runs()) {
    if (run.first >= length_) break;
    run.end = std::max(run.first, std::min(run.end, length_ - length_ % kPageKeys));
    int64_t bytes = 0;
    for_columns(cache.spec(), group, run, [&](const RunColumns& columns) { bytes += columns.bytes(); });
    table.runs.push_back({run, Bytes(shards * static_cast<size_t>(bytes))});
  }
  for (int64_t i = 0; i < from.open.count() && (from.open.first() + i) * kPageKeys < length_; ++i)
    table.open.emplace_back(shards * static_cast<size_t>(cache.open_pool(g).page_bytes()));
  for (size_t shard = 0; shard < shards; ++shard) read(cache, g, from, shard, table);
  return table;
}

void SavedSequence::read(KvCache& cache, size_t g, const KvSequence::Table& from, size_t shard, Table& to) {
  const size_t shards = cache.shards();
  ReadPieces pieces;
  for (size_t i = 0; i < to.pages.size(); ++i)
    pieces.add(of_shard(to.pages[i].bytes, shard, shards), cache.pool(g).strip(from.pages[i]));
  for (Run& run : to.runs) {
    std::span<std::byte> left = of_shard(run.bytes, shard, shards);
    for_columns(cache.spec(), cache.spec().groups[g], run.at,
                [&](const RunColumns& columns) { add_columns(pieces, take_first(left, columns.bytes()), columns); });
  }
  for (size_t i = 0; i < to.open.size(); ++i)
    pieces.add(of_shard(to.open[i], shard, shards), cache.open_pool(g).strip(from.open.pages()[i]));
  pieces.read(cache.memory_of_group(g).shard(shard));
}

bool SavedSequence::restore(KvSequence& to) const {
  KvCache& cache = *to.cache_;
  if (!cache.room().covers(need_)) return false;
  KvSequence restored(cache);
  for (size_t g = 0; g < tables_.size(); ++g) load(cache, g, tables_[g], restored.tables_[g]);
  if (!recurrent_.empty()) {
    restored.recurrent_ = cache.recurrent().take();
    for (size_t shard = 0; shard < cache.shards(); ++shard)
      cache.recurrent().write(*restored.recurrent_, of_shard(recurrent_, shard, cache.shards()), shard);
  }
  restored.length_ = length_;
  restored.dropped_ = dropped_;
  restored.prefix_ = prefix_;
  to = std::move(restored);
  return true;
}

void SavedSequence::load(KvCache& cache, size_t g, const Table& from, KvSequence::Table& to) {
  to.kept = from.kept;
  to.begin = from.begin;
  to.shift = from.shift;
  for (const Page& page : from.pages) {
    PageRef ref = cache.pool(g).take(to.pages.empty() ? PageRef() : to.pages.back());
    ref.origin() = page.origin;
    to.push_back(std::move(ref));
  }
  for (const Run& saved : from.runs) {
    PageRef ref = cache.index_pool(g, saved.at.length).take();
    IndexRun run = saved.at;
    run.data = ref.data();
    to.runs.append({std::move(ref), run});
  }
  for (size_t i = 0; i < from.open.size(); ++i) to.open.push_back(cache.open_pool(g).take(), from.first_open);
  for (size_t shard = 0; shard < cache.shards(); ++shard) write(cache, g, from, shard, to);
}

void SavedSequence::write(KvCache& cache, size_t g, const Table& from, size_t shard, const KvSequence::Table& to) {
  const size_t shards = cache.shards();
  WritePieces pieces;
  for (size_t i = 0; i < from.pages.size(); ++i)
    pieces.add(of_shard(from.pages[i].bytes, shard, shards), cache.pool(g).strip(to.pages[i]));
  for (size_t i = 0; i < from.runs.size(); ++i) {
    std::span left = of_shard(from.runs[i].bytes, shard, shards);
    for_columns(cache.spec(), cache.spec().groups[g], to.runs.runs()[i],
                [&](const RunColumns& columns) { add_columns(pieces, take_first(left, columns.bytes()), columns); });
  }
  for (size_t i = 0; i < from.open.size(); ++i)
    pieces.add(of_shard(from.open[i], shard, shards), cache.open_pool(g).strip(to.open.pages()[i]));
  pieces.write(cache.memory_of_group(g).shard(shard));
}

int64_t SavedSequence::bytes() const {
  int64_t sum = std::ssize(recurrent_);
  for (const Table& table : tables_) {
    for (const Page& page : table.pages) sum += std::ssize(page.bytes);
    for (const Run& run : table.runs) sum += std::ssize(run.bytes);
    for (const std::vector<std::byte>& page : table.open) sum += std::ssize(page);
  }
  return sum;
}

}  // namespace skald
