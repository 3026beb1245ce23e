// How much each component of one head's keys varies, by whole pages of the index: see KeySpread of the CPU. A thread has a
// component, and adds pages in order.
#pragma once

#include "kernels/gpu/key_index.inl"

namespace skald::gpu {

/// Of one component.
struct PageSum {
  double sum = 0, squares = 0;
};

SIMT_DEV PageSum sum_of_page(const SequenceIndex& index, int64_t head, int64_t c, int64_t position) {
  const IndexPage page(index, head, position);
  PageSum out;
  with_kind(index.kind, [&]<KeyIndex kKind>() {
    for (int part = 0; part < 8; ++part) {
      float x[8];
      IndexCodes<kKind>::load(page, c, part, x);
      for (const float each : x) {
        out.sum += static_cast<double>(each);
        out.squares = simt::fma1(static_cast<double>(each), static_cast<double>(each), out.squares);
      }
    }
  });
  return out;
}

/// A memo of a head's sums, as KeySums has it.
struct KeySumsAt {
  std::byte* data;
  int64_t d;
  SIMT_DEV PageSet& pages() const { return *reinterpret_cast<PageSet*>(data); }
  SIMT_DEV double* sums() const { return reinterpret_cast<double*>(data + sizeof(PageSet)); }
  SIMT_DEV double* squares() const { return sums() + d; }
  SIMT_DEV float* spread() const { return reinterpret_cast<float*>(squares() + d); }
};
SIMT_DEV KeySumsAt key_sums_of(const SequenceKv& kv, int64_t head, int64_t d) {
  return {kv.key_sums + head * KeySums::bytes(d), d};
}

/// The sums of a component over pages, which go on from the memo's where these are the beginning.
SIMT_DEV PageSum sum_of_pages(const SequenceKv& kv, int64_t head, int64_t c, const KeySumsAt& memo, const PageSet& pages) {
  const PageSet was = memo.pages();
  PageSum sum{memo.sums()[c], memo.squares()[c]};
  int64_t from = was.end;
  const auto add = [&](int64_t begin, int64_t end) {
    for (int64_t page = begin; page < end; ++page) {
      const PageSum one = sum_of_page(kv.index, head, c, page * kPageKeys);
      sum.sum += one.sum;
      sum.squares += one.squares;
    }
  };
  if (was.kept != pages.kept || was.begin != pages.begin || was.end > pages.end) {
    sum = {};
    add(0, pages.kept);
    from = pages.begin;
  }
  add(from, pages.end);
  return sum;
}

/// The standard deviation over this many pages.
SIMT_DEV float spread_of(const PageSum& sum, int64_t pages) {
  const auto n = static_cast<double>(pages * kPageKeys);
  const double mean = sum.sum / n, variance = sum.squares / n - mean * mean;
  const auto x = static_cast<float>(variance);
  return x > 0 ? x * simt::inv_sqrt(x) : 0;
}

/// By all threads, of which each brings components.
SIMT_DEV void keep_spread(const SequenceKv& kv, int64_t head, int64_t d, const PageSet& pages) {
  const KeySumsAt memo = key_sums_of(kv, head, d);
  if (memo.pages() == pages) return;
  for (int64_t c = simt::thread(); c < d; c += simt::threads()) {
    const PageSum sum = sum_of_pages(kv, head, c, memo, pages);
    memo.sums()[c] = sum.sum;
    memo.squares()[c] = sum.squares;
    if (pages.n() > 0) memo.spread()[c] = spread_of(sum, pages.n());
  }
  simt::sync_block();
  if (simt::thread() == 0) memo.pages() = pages;
}

/// Of the pages of a row: the memo's, or more.
SIMT_DEV float spread_of_row(const SequenceKv& kv, int64_t head, int64_t d, int64_t c, const PageSet& pages) {
  const KeySumsAt memo = key_sums_of(kv, head, d);
  if (memo.pages() == pages) return memo.spread()[c];
  return spread_of(sum_of_pages(kv, head, c, memo, pages), pages.n());
}

}  // namespace skald::gpu
