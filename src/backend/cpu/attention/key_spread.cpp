#include "backend/cpu/attention/key_spread.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "backend/cpu/attention/unpack_keys.h"
#include "quant/registry.h"

namespace skald {
namespace {

/// Of one component over one page.
struct PageSum {
  double sum, squares;

  PageSum times(double scale) const { return {scale * sum, scale * scale * squares}; }
  /// Of numbers that are larger by x.
  PageSum plus(double x) const { return {sum + kPageKeys * x, squares + 2 * x * sum + kPageKeys * x * x}; }
};

PageSum sum_of_codes(const std::byte* codes) {
  const auto* x = reinterpret_cast<const int8_t*>(codes);
  int32_t sum = 0, squares = 0;
  for (int64_t i = 0; i < kPageKeys; ++i) {
    sum += x[i];
    squares += x[i] * x[i];
  }
  return {static_cast<double>(sum), static_cast<double>(squares)};
}

template <class Get>
PageSum sum_of(Get get) {
  PageSum page{0, 0};
  for (int64_t i = 0; i < kPageKeys; ++i) {
    const double x = get(i);
    page.sum += x;
    page.squares += x * x;
  }
  return page;
}

PageSum sum_of_halves(const std::byte* halves) {
  float x[kPageKeys];
  format_f16.decode(halves, x, kPageKeys);
  return sum_of([&](int64_t i) { return static_cast<double>(x[i]); });
}

// Codes less 7.5.
PageSum sum_of_nibbles(const std::byte* pairs) {
  int32_t sum = 0, squares = 0;
  for (int64_t i = 0; i < kPageKeys / 2; ++i) {
    const int32_t low = std::to_integer<int32_t>(pairs[i] & std::byte{15}), high = std::to_integer<int32_t>(pairs[i] >> 4);
    sum += low + high;
    squares += low * low + high * high;
  }
  return PageSum{static_cast<double>(sum), static_cast<double>(squares)}.plus(-7.5);
}

void add(const KeySums& sums, int64_t c, const PageSum& page) {
  sums.sums()[c] += page.sum;
  sums.squares()[c] += page.squares;
}

// Whether the summed pages are the beginning of a fold over `pages`.
bool begins(const PageSet& summed, const PageSet& pages) {
  return summed.kept == pages.kept && summed.begin == pages.begin && summed.end <= pages.end;
}

}  // namespace

KeySpread::KeySpread(const AttentionJob& job, const KvView& kv, int64_t kv_head, std::byte* own, float* panels)
    : job_(job),
      kv_(kv),
      head_(kv_head),
      memo_(kv.key_sums ? kv.key_sums + kv_head * KeySums::bytes(job.a.d_k) : nullptr, job.a.d_k),
      own_(own, job.a.d_k),
      panels_(panels) {}

bool KeySpread::is_behind(const PageSet& pages) const { return memo_.memory() && memo_.pages() != pages; }

void KeySpread::keep(const PageSet& pages) const { bring(memo_, pages); }

const float* KeySpread::of(const PageSet& pages) const {
  if (memo_.memory() && memo_.pages() == pages) return memo_.spread();
  if (memo_.memory())
    std::memcpy(own_.memory(), memo_.memory(), static_cast<size_t>(KeySums::bytes(job_.a.d_k)));
  else
    std::memset(own_.memory(), 0, static_cast<size_t>(KeySums::bytes(job_.a.d_k)));
  bring(own_, pages);
  return own_.spread();
}

void KeySpread::bring(const KeySums& sums, const PageSet& pages) const {
  PageSet& summed = sums.pages();
  if (!begins(summed, pages)) {
    std::fill_n(sums.sums(), 2 * job_.a.d_k, 0.0);
    add_pages(sums, 0, pages.kept, 0);
    summed = {pages.kept, pages.begin, pages.begin};
  }
  add_pages(sums, summed.end, pages.end, kv_.shift);
  summed = pages;
  if (pages.n()) find_spread(sums);
}

// Pages whose slots are their positions less `shift`.
void KeySpread::add_pages(const KeySums& sums, int64_t from, int64_t to, int64_t shift) const {
  for (int64_t page = from; page < to; ++page) add_page(sums, page * kPageKeys, shift);
}

void KeySpread::add_page(const KeySums& sums, int64_t position, int64_t shift) const {
  const KeyIndexView& index = kv_.index;
  if (index.kind == KeyIndex::kNone) return add_rows(sums, position - shift);
  const IndexRun& run = index.run_of(position);
  const IndexColumns columns = index.columns(run.length);
  const std::byte* head = index.head(run, head_);
  const int64_t at = position - run.base;
  const auto number = [&](int64_t numbers, int64_t c) {
    const std::byte* const x = head + c * columns.stride() + numbers + columns.numbers(at);
    return static_cast<double>(*reinterpret_cast<const float*>(x));
  };
  for (int64_t c = 0; c < job_.a.d_k; ++c) {
    const std::byte* const codes = head + c * columns.stride() + columns.codes(at);
    if (index.kind == KeyIndex::kF16)
      add(sums, c, sum_of_halves(codes));
    else if (index.kind == KeyIndex::kInt8)
      add(sums, c, sum_of_codes(codes).times(number(columns.scales(), c)));
    else
      add(sums, c, sum_of_nibbles(codes).times(number(columns.scales(), c)).plus(number(columns.centres(), c)));
  }
}

void KeySpread::add_rows(const KeySums& sums, int64_t slot) const {
  const int64_t columns = job_.key_columns(kv_);
  unpack_keys(job_.kernels, kv_, head_, slot, columns, panels_);
  for (int64_t c = 0; c < job_.a.d_k; ++c) {
    const auto key = [&](int64_t i) { return panels_[(i / kPanel * columns + c) * kPanel + i % kPanel]; };
    add(sums, c, sum_of([&](int64_t i) { return static_cast<double>(key(i)); }));
  }
}

void KeySpread::find_spread(const KeySums& sums) const {
  const auto n = static_cast<double>(sums.pages().n() * kPageKeys);
  for (int64_t c = 0; c < job_.a.d_k; ++c) {
    const double mean = sums.sums()[c] / n;
    sums.spread()[c] = static_cast<float>(std::sqrt(std::max(sums.squares()[c] / n - mean * mean, 0.0)));
  }
}

}  // namespace skald
