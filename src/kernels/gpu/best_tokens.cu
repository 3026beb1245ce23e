// The likeliest tokens of rows of logits, and what else is told of a row (BestTokens). Parts of a row choose theirs; the
// last block of a row chooses among those. A choice counts the keys by their digits, the highest first, until a cut leaves
// as many as are wanted: keys differ. Bound: the bytes of the logits.
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/rows.inl"

namespace skald::gpu {
namespace {

using Key = uint64_t;  // larger: likelier

constexpr int kThreads = 256, kWarps = kThreads / simt::kWarp;
constexpr int kDigitBits = 8, kKeyBits = 64;
static_assert(kThreads == 1 << kDigitBits);  // a bin for each thread

/// The bin that the cut falls into.
struct Found {
  int digit, wanted, keys;  // of its keys: those that are wanted, and all
};

struct Shared {
  int bins[kThreads];
  int of_warp[kWarps];  // keys in the bins of a warp
  Found found;
  float tops[kWarps], totals[kWarps];
  int strange;  // logits that are not finite
  int n;
  Key best[BestTokens::kMost];  // in no order
};

SIMT_DEV Key key_of(float logit, int token) {
  const uint32_t bits = logit == 0 ? 0 : simt::as_bits(logit), sign = 0x80000000;
  const uint32_t rising = bits & sign ? ~bits : bits | sign;
  return static_cast<Key>(rising) << 32 | ~static_cast<uint32_t>(token);
}
SIMT_DEV int token_of(Key key) { return static_cast<int>(~static_cast<uint32_t>(key)); }

SIMT_DEV void find_bin(int wanted, Shared& s) {
  const int mine = s.bins[simt::thread()];
  int sum = mine;  // with the warp's higher bins
  for (int step = 1; step < simt::kWarp; step *= 2) {
    const int next = simt::shuffle(sum, simt::lane() + step);
    if (simt::lane() + step < simt::kWarp) sum += next;
  }
  if (simt::lane() == 0) s.of_warp[simt::warp()] = sum;
  simt::sync_block();
  int higher = sum - mine;
  for (int w = simt::warp() + 1; w < kWarps; ++w) higher += s.of_warp[w];
  if (higher < wanted && higher + mine >= wanted) s.found = {simt::thread(), wanted - higher, mine};
  simt::sync_block();
}

/// The least key of the kMost largest ones of n > kMost, or a smaller number that no other key reaches.
template <class KeyAt>
SIMT_DEV Key find_cut(int n, KeyAt key_at, Shared& s) {
  Key cut = 0;
  int wanted = BestTokens::kMost;
  for (int shift = kKeyBits - kDigitBits; shift >= 0; shift -= kDigitBits) {
    s.bins[simt::thread()] = 0;
    simt::sync_block();
    for (int i = simt::thread(); i < n; i += kThreads) {
      const Key other = key_at(i) ^ cut;  // digits that are decided are 0
      if (shift + kDigitBits == kKeyBits || other >> (shift + kDigitBits) == 0) simt::atomic_add(&s.bins[other >> shift], 1);
    }
    simt::sync_block();
    find_bin(wanted, s);
    cut |= static_cast<Key>(s.found.digit) << shift;
    wanted = s.found.wanted;
    if (s.found.keys == wanted) break;
  }
  return cut;
}

/// Leaves the kMost largest keys in s.best, or all n.
template <class KeyAt>
SIMT_DEV void choose(int n, KeyAt key_at, Shared& s) {
  const Key cut = n > BestTokens::kMost ? find_cut(n, key_at, s) : 0;
  if (simt::thread() == 0) s.n = 0;
  simt::sync_block();
  for (int i = simt::thread(); i < n; i += kThreads)
    if (const Key key = key_at(i); key >= cut) s.best[simt::atomic_add(&s.n, 1)] = key;
  simt::sync_block();
}

SIMT_DEV void look_over(const float* x, int n, BestPart& part, Shared& s) {
  float top = -simt::infinity(), total = 0;
  int strange = 0;
  if (simt::thread() == 0) s.strange = 0;
  for (int i = simt::thread(); i < n; i += kThreads) {
    top = simt::largest(top, x[i]);
    strange += !(simt::magnitude(x[i]) < simt::infinity());
  }
  top = simt::warp_max(top);
  if (simt::lane() == 0) s.tops[simt::warp()] = top;
  simt::sync_block();
  if (strange) simt::atomic_add(&s.strange, strange);
  for (int w = 0; w < kWarps; ++w) top = simt::largest(top, s.tops[w]);
  for (int i = simt::thread(); i < n; i += kThreads) total += simt::exponential(x[i] - top);
  total = simt::warp_sum(total);
  if (simt::lane() == 0) s.totals[simt::warp()] = total;
  simt::sync_block();
  if (simt::thread() != 0) return;
  for (int w = 1; w < kWarps; ++w) total += s.totals[w];
  part.top = top;
  part.total = total;
  part.strange = s.strange;
}

SIMT_DEV void join_totals(const BestPart* parts, BestTokens& out) {
  float top = parts[0].top, total = 0;
  int strange = 0;
  for (int i = 1; i < simt::blocks_x(); ++i) top = simt::largest(top, parts[i].top);
  for (int i = 0; i < simt::blocks_x(); ++i) {
    total = simt::fma1(parts[i].total, simt::exponential(parts[i].top - top), total);
    strange += parts[i].strange;
  }
  out.top = top;
  out.total = total;
  out.finite = strange == 0;
}

SIMT_DEV void join(const BestPart* parts, const float* x, int n, BestTokens& out, Shared& s) {
  const int before = (simt::blocks_x() - 1) * BestTokens::kMost, in_last = n - (simt::blocks_x() - 1) * BestPart::kTokens;
  choose(
      before + at_most(in_last, BestTokens::kMost),
      [&](int i) { return parts[i / BestTokens::kMost].keys[i % BestTokens::kMost]; }, s);
  if (simt::thread() < s.n) {
    const Key mine = s.best[simt::thread()];
    int at = 0;
    for (int i = 0; i < s.n; ++i) at += s.best[i] > mine;
    out.tokens[at] = token_of(mine);
    out.logits[at] = x[token_of(mine)];
  }
  if (simt::thread() != 0) return;
  out.n = s.n;
  join_totals(parts, out);
}

// A block is (part, row).
SIMT_KERNEL void best_tokens(BestTokensArgs a) {
  const int64_t row = simt::block_y();
  if (!begin_row(a.rows, row)) return;
  auto& s = simt::shared<Shared>();
  const float* x = a.x.data + row * a.x.step;
  BestPart* parts = a.parts + row * simt::blocks_x();
  BestPart& mine = parts[simt::block_x()];
  const int first = simt::block_x() * BestPart::kTokens, n = at_most(a.n - first, BestPart::kTokens);
  look_over(x + first, n, mine, s);
  choose(
      n, [&](int i) { return key_of(x[first + i], first + i); }, s);
  if (simt::thread() < s.n) mine.keys[simt::thread()] = s.best[simt::thread()];
  if (simt::last_block(a.counters + row, simt::blocks_x())) join(parts, x, a.n, a.out[row], s);
}

void launch(simt::Stream stream, const BestTokensArgs& a, int64_t rows) {
  const simt::Grid grid{blocks_for(a.n, BestPart::kTokens), static_cast<unsigned>(rows)};
  launch_early<best_tokens>(stream, {grid, kThreads, sizeof(Shared)}, a);
}

}  // namespace

template <>
void fill_best_tokens<simt::Target>(GpuKernels& kernels) {
  kernels.best_tokens = launch;
}

}  // namespace skald::gpu
