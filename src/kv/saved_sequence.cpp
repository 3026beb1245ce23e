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
    recurrent_.resize(static_cast<size_t>(cache.recurrent().block_bytes()));
    cache.recurrent().read(*from.recurrent_, recurrent_);
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
  ReadPieces pieces;
  const auto pages = static_cast<size_t>(std::max<int64_t>(0, ceil_div(length_ - from.shift, kPageKeys)));
  for (size_t i = 0; i < std::min(pages, from.pages.size()); ++i) {
    table.pages.push_back({std::vector<std::byte>(static_cast<size_t>(cache.pool(g).page_bytes())), from.pages[i].origin()});
    pieces.add(table.pages.back().bytes, cache.pool(g).strip(from.pages[i]));
  }
  for (IndexRun run : from.runs.runs()) {
    if (run.first >= length_) break;
    run.end = std::max(run.first, std::min(run.end, length_ - length_ % kPageKeys));
    int64_t bytes = 0;
    for_columns(cache.spec(), group, run, [&](const RunColumns& columns) { bytes += columns.bytes(); });
    table.runs.push_back({run, std::vector<std::byte>(static_cast<size_t>(bytes))});
    std::span<std::byte> left(table.runs.back().bytes);
    for_columns(cache.spec(), group, run,
                [&](const RunColumns& columns) { add_columns(pieces, take_first(left, columns.bytes()), columns); });
  }
  const PagePool& open = cache.open_pool(g);
  for (int64_t i = 0; i < from.open.count() && (from.open.first() + i) * kPageKeys < length_; ++i) {
    table.open.emplace_back(static_cast<size_t>(open.page_bytes()));
    pieces.add(table.open.back(), open.strip(from.open.pages()[static_cast<size_t>(i)]));
  }
  pieces.read(cache.memory_of_group(g));
  return table;
}

bool SavedSequence::restore(KvSequence& to) const {
  KvCache& cache = *to.cache_;
  if (!cache.room().covers(need_)) return false;
  KvSequence restored(cache);
  for (size_t g = 0; g < tables_.size(); ++g) load(cache, g, tables_[g], restored.tables_[g]);
  if (!recurrent_.empty()) {
    restored.recurrent_ = cache.recurrent().take();
    cache.recurrent().write(*restored.recurrent_, recurrent_);
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
  WritePieces pieces;
  for (const Page& page : from.pages) {
    PageRef ref = cache.pool(g).take(to.pages.empty() ? PageRef() : to.pages.back());
    pieces.add(page.bytes, cache.pool(g).strip(ref));
    ref.origin() = page.origin;
    to.push_back(std::move(ref));
  }
  for (const Run& saved : from.runs) {
    PageRef ref = cache.index_pool(g, saved.at.length).take();
    IndexRun run = saved.at;
    run.data = ref.data();
    std::span left(saved.bytes);
    for_columns(cache.spec(), cache.spec().groups[g], run,
                [&](const RunColumns& columns) { add_columns(pieces, take_first(left, columns.bytes()), columns); });
    to.runs.append({std::move(ref), run});
  }
  for (const std::vector<std::byte>& page : from.open) {
    PageRef ref = cache.open_pool(g).take();
    pieces.add(page, cache.open_pool(g).strip(ref));
    to.open.push_back(std::move(ref), from.first_open);
  }
  pieces.write(cache.memory_of_group(g));
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
