// The members of a tier's vector type V that generic kernels and decoders use, by name and type. vec.inl of each tier
// asserts the concepts that its V is meant to have. A missing member is then one line of an error, not a page of templates.
// Each member stands in one concept (tests/check_lanes.py), where its contract is written down.
#pragma once

#include <concepts>
#include <cstdint>

namespace skald {

/// Well-formed for constants of the compiler.
template <auto>
concept Constant = true;

/// V::kWidth floats, V::F. Every tier with vectors has them.
template <class V>
concept FloatLanes = requires(typename V::F x, typename V::F (&square)[V::kWidth], float* p, void* bits, int8_t* codes,
                              const uint8_t* bytes, uint16_t half) {
  typename V::F;
  requires Constant<V::kWidth>;         // floats of a vector: 8 or 16
  requires Constant<V::kTokens>;        // tokens of a tile of a matmul by rows of floats
  requires Constant<V::kTileTokens>;    // tokens of a tile of a matmul by panels
  requires Constant<V::kAccumulators>;  // registers for sums in attention over the cache
  requires Constant<V::kGemmRows>;      // rows of a tile in attention over panels
  requires Constant<V::kKeysTogether>;  // keys in rows that are scored side by side: 1 or 2

  { V::zero() } -> std::same_as<typename V::F>;
  { V::set1(1.0F) } -> std::same_as<typename V::F>;  // in all lanes
  { V::load(p) } -> std::same_as<typename V::F>;     // kWidth floats; no pointer need be aligned
  { V::store(p, x) } -> std::same_as<void>;
  { V::load_f16(bits) } -> std::same_as<typename V::F>;
  { V::store_f16(bits, x) } -> std::same_as<void>;  // rounds to nearest even, as all stores
  { V::load_bf16(bits) } -> std::same_as<typename V::F>;
  { V::load_bf16_even(bits) } -> std::same_as<typename V::F>;  // the first of each of kWidth pairs
  { V::load_bf16_odd(bits) } -> std::same_as<typename V::F>;   // the second
  { V::store_bf16(bits, x) } -> std::same_as<void>;
  { V::load_i8_floats(codes) } -> std::same_as<typename V::F>;    // kWidth signed bytes
  { V::store_i8(codes, x) } -> std::same_as<void>;                // |x| <= 127; -128 of a NaN
  { V::load_bytes(bytes) } -> std::same_as<typename V::F>;        // kWidth bytes, signed as the pointer says
  { V::load_powers(bytes) } -> std::same_as<typename V::F>;       // 2^(byte - 128), 0 where that is denormal
  { V::load_short_f16(bytes) } -> std::same_as<typename V::F>;    // halves of which bytes are bits 7 to 14, others 0
  { V::load_low_nibbles(bytes) } -> std::same_as<typename V::F>;  // of kWidth bytes, 0 to 15
  { V::load_high_nibbles(bytes) } -> std::same_as<typename V::F>;
  { V::set_half(half) } -> std::same_as<typename V::F>;      // an f16 in all lanes
  { V::to_half(1.0F) } -> std::same_as<uint16_t>;            // an f16
  { V::each_four_times(p) } -> std::same_as<typename V::F>;  // kWidth / 4 floats, four times each

  { V::add(x, x) } -> std::same_as<typename V::F>;
  { V::sub(x, x) } -> std::same_as<typename V::F>;
  { V::mul(x, x) } -> std::same_as<typename V::F>;
  { V::div(x, x) } -> std::same_as<typename V::F>;
  { V::max(x, x) } -> std::same_as<typename V::F>;            // the second where one of them is not a number
  { V::max_magnitude(x, x) } -> std::same_as<typename V::F>;  // max(a, |x|), a >= 0; NaN is larger than all numbers
  { V::abs_f(x) } -> std::same_as<typename V::F>;
  { V::fma(x, x, x) } -> std::same_as<typename V::F>;  // a * b + c, rounded once
  { V::round_half_up(x) } -> std::same_as<typename V::F>;
  { V::to_exponent(x) } -> std::same_as<typename V::F>;  // 2^n of 1.5 * 2^23 + 127 + n, n in [-127, 127]; 0 of -127

  { V::sum(x) } -> std::same_as<float>;
  { V::max_of(x) } -> std::same_as<float>;
  { V::max_of_magnitudes(x) } -> std::same_as<float>;      // of lanes >= 0; NaN is larger than all numbers
  { V::first(x) } -> std::same_as<float>;                  // lane 0
  { V::sum_each(square) } -> std::same_as<typename V::F>;  // lane i: the sum over x[i]
  { V::transpose(square) } -> std::same_as<void>;
  { V::exchange(x, std::integral_constant<int, 1>()) } -> std::same_as<typename V::F>;  // lane i gets that of lane i ^ 1
  { V::hold(x) } -> std::same_as<void>;                                                 // keeps it in its register
};

/// V::kWidth signed integers of 32 bits, V::I, and sets of lanes, whose bit i is lane i: for selection.
template <class V>
concept IntLanes = requires(typename V::F x, typename V::I i, int32_t* p, uint32_t set) {
  typename V::I;
  { V::set1_i(1) } -> std::same_as<typename V::I>;
  { V::load_i(p) } -> std::same_as<typename V::I>;
  { V::store_i(p, i) } -> std::same_as<void>;
  { V::add_i(i, i) } -> std::same_as<typename V::I>;
  { V::min_i(i, i) } -> std::same_as<typename V::I>;
  { V::max_i(i, i) } -> std::same_as<typename V::I>;
  { V::reaches(x, x) } -> std::same_as<uint32_t>;      // a >= b
  { V::greater(i, i) } -> std::same_as<uint32_t>;      // a > b
  { V::sort_keys(x) } -> std::same_as<typename V::I>;  // in the order of the floats; -0 as 0, every NaN as -0x7fffffff
  { V::compress(p, i, set) } -> std::same_as<void>;    // the lanes of the set, moved together; writes a whole vector
};

/// A V::Dot: sums of a block's products of unsigned bytes less an offset with signed ones.
template <class V, class Dot>
concept BlockDot = requires(typename Dot::Sum sum, typename V::W w) {
  { Dot::start(0) } -> std::same_as<typename Dot::Sum>;        // from -128 times the sum of the block's activations
  { Dot::dot(sum, w, w) } -> std::same_as<typename Dot::Sum>;  // adds weights times activations
  Dot::finish(sum, 0);                                         // as floats; given its start
};

/// Dot products of bytes: of rows, 32 codes in a V::I8, whose products are eight floats, V::D; and V::W, vectors of weights
/// by lanes, each 4 columns of a row.
template <class V>
concept ByteDots = requires(typename V::I8 codes, typename V::D d, typename V::W w, const int8_t* p, const uint8_t* nibbles,
                            float* floats, uint16_t half, const uint16_t (&halves)[8], void* bits,
                            const uint8_t (&levels)[16]) {
  typename V::I8;
  typename V::D;
  { V::load_i8(p) } -> std::same_as<typename V::I8>;
  { V::load_nibbles(nibbles) } -> std::same_as<typename V::I8>;  // 16 bytes: the low ones first, 0 to 15
  { V::minus_8(codes) } -> std::same_as<typename V::I8>;
  { V::abs(codes) } -> std::same_as<typename V::I8>;
  { V::dot(codes, codes, codes) } -> std::same_as<typename V::D>;  // |w|, w, activations; |w| <= 128, |activation| <= 127
  { V::scale(half) } -> std::same_as<typename V::D>;               // a block's, in all lanes
  { V::scales(halves) } -> std::same_as<typename V::D>;            // eight blocks', a lane each
  { V::d_zero() } -> std::same_as<typename V::D>;
  { V::d_load(floats) } -> std::same_as<typename V::D>;
  { V::d_store(floats, d) } -> std::same_as<void>;
  { V::add_scaled(d, d, 1.0F, d) } -> std::same_as<typename V::D>;  // dot * w_scale * x_scale + sum
  { V::d_sum(d, d) } -> std::same_as<float>;                        // over the lanes of both

  typename V::W;
  { V::load_w(bits) } -> std::same_as<typename V::W>;
  { V::store_w(bits, w) } -> std::same_as<void>;
  { V::set1_w(1) } -> std::same_as<typename V::W>;  // 4 bytes or 2 halves in all lanes
  { V::low_nibbles(w) } -> std::same_as<typename V::W>;
  { V::high_nibbles(w) } -> std::same_as<typename V::W>;
  { V::bits(w, 1, 1) } -> std::same_as<typename V::W>;  // (x >> right) & mask of each byte; to the left if right < 0
  { V::either(w, w) } -> std::same_as<typename V::W>;
  { V::lookup(levels, w) } -> std::same_as<typename V::W>;  // levels[byte] of each byte
  { V::pin(w) } -> std::same_as<void>;                      // keeps a sum in its register, if the tier has few
  { V::step_done() } -> std::same_as<void>;                 // keeps the order of the source from here on, likewise
  typename V::template Dot<0, 1>;                           // <kOffset, kMaxCode>: of weights 0 to kMaxCode less kOffset
  requires BlockDot<V, typename V::template Dot<8, 15>>;
  requires BlockDot<V, typename V::template Dot<128, 255>>;
};

/// Dot products with one of the fours of activations that a register holds: of four steps.
template <class V>
concept LaneDots = ByteDots<V> && requires(const int8_t* p, typename V::Fours fours) {
  typename V::Fours;
  { V::load_fours(p) } -> std::same_as<typename V::Fours>;
  V::lane(fours, std::integral_constant<int, 0>());  // takes the place of set1_w's vector in Dot::dot
};

/// ByteDots with as many lanes as floats: panels of bytes.
template <class V>
concept PanelDots = ByteDots<V> && requires(typename V::template Dot<8, 15>::Sum sum) {
  requires std::same_as<decltype(V::template Dot<8, 15>::finish(sum, 0)), typename V::F>;
};

/// A pair of blocks of bytes, V::I8x2, where vectors hold 64 of them.
template <class V>
concept BytePairs = ByteDots<V> && requires(typename V::I8 codes, typename V::I8x2 both, const uint8_t* nibbles) {
  typename V::I8x2;
  { V::join(codes, codes) } -> std::same_as<typename V::I8x2>;
  { V::plus_128(both) } -> std::same_as<typename V::I8x2>;                  // signed to unsigned
  { V::load_nibbles(nibbles, nibbles) } -> std::same_as<typename V::I8x2>;  // each block's low ones, then its high ones
};

/// Products with signed weights in two parts, magnitudes and signs: tiers that lack an instruction for dot products.
template <class V, class Kind>
concept ByMagnitudes = ByteDots<V> &&
    requires(typename V::W w, typename V::template Dot<Kind::kOffset, Kind::kMaxCode>::Weights parts) {
  { V::less(w, 128) } -> std::same_as<typename V::W>;  // each byte less an offset
  parts.magnitudes;
  parts.signs;
};

/// Products with weights of eight bits as signed bytes, which V::less makes of unsigned ones.
template <class V, class Kind>
concept BySignedBytes = ByteDots<V> && requires {
  requires V::template Dot<Kind::kOffset, Kind::kMaxCode>::kFlips;
};

/// Codes of four bits that lie by columns, a page of 64 keys in 32 bytes: the first half's codes are the low ones. A vector
/// has the codes of kPages pages. kWideSums: dot products of them sum in 32 bits.
template <class V>
concept NibbleFours = PanelDots<V> &&
    requires(const void* page, typename V::W (&four)[4], const typename V::F (&integers)[4],
             typename V::template Dot<0, 15>::Sum (&sums)[4], const int32_t* of_pages) {
  requires Constant<V::kPages>;  // a page has 32 bytes
  requires Constant<V::kWideSums>;
  { V::load_page_nibbles(page) } -> std::same_as<typename V::W>;  // one page alone
  { V::interleave_fours(four) } -> std::same_as<void>;            // four columns in each lane, the keys in the tier's order
  { V::order_pages(sums) } -> std::same_as<void>;                 // sums of these lanes: page by page, the keys in order
  { V::set_pages(of_pages) } -> std::same_as<typename V::W>;      // each page's number in its lanes
  { V::low_bytes(integers) } -> std::same_as<typename V::W>;      // the lowest byte of each, from the lowest on
};

/// Eight keys at a time: eight lanes of integers, and products of signed bytes. Tiers with more have scores of their own.
template <class V>
concept ScoresByEight = ByteDots<V> && requires(typename V::W (&four)[4], const void* p) {
  { V::transpose_halves(four) } -> std::same_as<void>;      // within each half, four by four lanes
  { V::load_beside(p, p) } -> std::same_as<typename V::W>;  // 16 bytes of each
  V::template Dot<128, 255>::keep_signs(four[0]);
};

/// Products of pairs of bfloat16, whose sums are floats.
template <class V>
concept Bf16Dots = requires(typename V::F sum, typename V::W w) {
  { V::dot_bf16(sum, w, w) } -> std::same_as<typename V::F>;
};

/// Products of pairs of 16 bits, in lanes of 32.
template <class V>
concept HalfDots = requires(typename V::F x, typename V::W w, int16_t* p) {
  { V::dot_pairs(w, w, w) } -> std::same_as<typename V::W>;  // sum + a.low * b.low + a.high * b.high
  { V::add_w(w, w) } -> std::same_as<typename V::W>;         // by 32 bits
  { V::floats(w) } -> std::same_as<typename V::F>;           // of lanes of 32 bits
  { V::store_i16(p, x) } -> std::same_as<void>;              // |x| <= 32767
};

/// HalfDots of rows of bytes, two side by side.
template <class V>
concept PairsBytes = HalfDots<V> && requires(typename V::I8 row, typename V::W (&pairs)[32 / V::kWidth], typename V::F x,
                                             typename V::F (&four)[4], int16_t* p) {
  { V::pair_bytes(row, row, pairs) } -> std::same_as<void>;  // the columns in an order of the tier's own,
  { V::order_columns(pairs) } -> std::same_as<void>;         // which this puts right
  { V::transpose_fours(four) } -> std::same_as<void>;        // within each 16 bytes of all, four by four lanes
  { V::store_i16(p, x, x) } -> std::same_as<void>;
};

/// HalfDots of panels, which are made of floats.
template <class V>
concept HalfPanels = HalfDots<V> && requires(typename V::F x, typename V::W (&four)[4], const int8_t* p) {
  { V::low_halves(x, x) } -> std::same_as<typename V::W>;     // the low 16 bits of each lane, the second's above
  { V::interleave_bytes(p, p, four) } -> std::same_as<void>;  // 4 * kWidth of each, as the 256-fold in 16 bits
  { V::power_of(x) } -> std::same_as<typename V::F>;          // the power of two in x >= 2^-126
};

/// Panels of f16 by arithmetic of halves.
template <class V, class Group>
concept ByHalves = requires(const Group* columns, typename V::F power) {
  V::half_factors(power);                                                                    // of 2^12 / power
  { V::pair_of_halves(columns, 0, V::half_factors(power)) } -> std::same_as<typename V::W>;  // the first n of two columns
};

/// The largest magnitudes in 32 columns of a panel, found without making floats of all.
template <class V, class Group>
concept FindsLargest = requires(const Group* columns) {
  { V::largest(columns) } -> std::same_as<typename V::F>;
};

/// How a tier asks memory for the next bytes: tuned by measuring.
template <class V>
concept Prefetching = requires {
  requires Constant<V::kStreams>;         // panels that few tokens read side by side: 1 or 4
  requires Constant<V::kAsksForPanels>;   // few tokens' passes over single panels: for the next panel too
  requires Constant<V::kAsksForPages>;    // attention over the cache: for the next page, evenly, or a fixed way ahead
  requires Constant<V::kPageStreams>;     // parts of it that are asked for side by side
  requires Constant<V::kUnaskedHeads>;    // heads that pass over pages of floats without asking for the next
  requires Constant<V::kAheadHeads>;      // heads that ask a fixed way ahead there
  requires Constant<V::kAskLevel>;        // of __builtin_prefetch: weights and pages go into L1 (3) or L2 (2)
  requires Constant<V::kAskBytes>;        // how far ahead few tokens ask for weights in panels
  requires Constant<V::kIndexByStreams>;  // index_streams.inl or index.inl
};

}  // namespace skald
