// SVE vectors of a fixed length, that of the compiler's flags; the int8 part comes with the base class.
#pragma once

using SveFloats = svfloat32_t __attribute__((arm_sve_vector_bits(__ARM_FEATURE_SVE_BITS)));
using SveInts = svint32_t __attribute__((arm_sve_vector_bits(__ARM_FEATURE_SVE_BITS)));
using SveWords = svuint32_t __attribute__((arm_sve_vector_bits(__ARM_FEATURE_SVE_BITS)));

template <class Int8>
struct Sve : Int8 {
  using F = SveFloats;
  using I = SveInts;
  static constexpr int kWidth = __ARM_FEATURE_SVE_BITS / 32;
  static constexpr int kTokens = 4;            // tokens per matmul tile: 4 x 4 accumulators of the 32 registers
  static constexpr int kAccumulators = 16;     // attention over the cache: the others hold the data that is read
  static constexpr int kGemmRows = 12;         // attention over panels: 12 x 2 accumulators
  static constexpr int kKeysTogether = 2;      // scores of keys in rows
  static constexpr bool kAsksForPages = true;  // attention over the cache: for the next page, evenly, or a fixed way ahead
  static constexpr int kPageStreams = 2;       // parts of it that are asked for side by side
  static constexpr int kUnaskedHeads = 0;      // that pass over pages of floats without asking for the next
  static constexpr int kAheadHeads = 0;        // that ask a fixed way ahead there
  static constexpr int kAskLevel = 3;          // of __builtin_prefetch: weights and pages go into L1 (3) or L2 (2)
  static constexpr int64_t kAskBytes = kPrefetchBytes;  // ahead of which few tokens ask for weights in panels
  static constexpr bool kIndexByStreams = true;         // index_streams.inl or index.inl

  static svbool_t all() { return svptrue_b32(); }
  static SveWords lanes() { return svindex_u32(0, 1); }

  static F zero() { return set1(0); }
  static F set1(float x) { return svdup_f32(x); }
  static F load(const float* p) { return svld1_f32(all(), p); }
  static void store(float* p, F x) { svst1_f32(all(), p, x); }
  // A quarter of a vector's floats, four times each.
  static F each_four_times(const float* p) {
    return svtbl_f32(svld1_f32(svwhilelt_b32(0, kWidth / 4), p), svlsr_n_u32_x(all(), lanes(), 2));
  }
  // Halves in the low parts of lanes.
  static F from_halves(SveWords x) { return svcvt_f32_f16_x(all(), svreinterpret_f16_u32(x)); }
  static F from_bits(SveWords x) { return svreinterpret_f32_u32(x); }
  static SveWords to_bits(F x) { return svreinterpret_u32_f32(x); }
  static SveWords load_16(const void* p) { return svld1uh_u32(all(), static_cast<const uint16_t*>(p)); }
  static F load_f16(const void* p) { return from_halves(load_16(p)); }
  static F load_bf16(const void* p) { return from_bits(svlsl_n_u32_x(all(), load_16(p), 16)); }
  // Of pairs, the first of each and the second.
  static F load_bf16_even(const void* p) {
    return from_bits(svlsl_n_u32_x(all(), svld1_u32(all(), static_cast<const uint32_t*>(p)), 16));
  }
  static F load_bf16_odd(const void* p) {
    return from_bits(svand_n_u32_x(all(), svld1_u32(all(), static_cast<const uint32_t*>(p)), 0xffff0000));
  }
  static void store_f16(void* p, F x) {
    svst1h_u32(all(), static_cast<uint16_t*>(p), svreinterpret_u32_f16(svcvt_f16_f32_x(all(), x)));
  }
  // Round to nearest even in the upper 16 bits. A NaN loses the others first, which might carry.
  static void store_bf16(void* p, F x) {
    const SveWords bits = svand_n_u32_m(svcmpuo_f32(all(), x, x), to_bits(x), 0xffff0000);
    const SveWords odd = svand_n_u32_x(all(), svlsr_n_u32_x(all(), bits, 16), 1);
    const SveWords rounded = svadd_n_u32_x(all(), svadd_u32_x(all(), bits, odd), 0x7fff);
    svst1h_u32(all(), static_cast<uint16_t*>(p), svlsr_n_u32_x(all(), rounded, 16));
  }
  // To signed bytes, rounded to nearest even; |x| <= 127, or no number: -128.
  static void store_i8(int8_t* p, F x) {
    const F number = svmaxnm_n_f32_x(all(), x, -128);
    svst1b_s32(all(), p, svcvt_s32_f32_x(all(), svrintn_f32_x(all(), number)));
  }

  static F add(F a, F b) { return svadd_f32_x(all(), a, b); }
  static F sub(F a, F b) { return svsub_f32_x(all(), a, b); }
  static F mul(F a, F b) { return svmul_f32_x(all(), a, b); }
  static F div(F a, F b) { return svdiv_f32_x(all(), a, b); }
  // By comparing: FMAX would give a NaN where one of them is.
  static F max(F a, F b) { return svsel_f32(svcmpgt_f32(all(), a, b), a, b); }
  // max(a, |x|) for a >= 0, and the largest of such lanes; a NaN is larger than all numbers.
  static F max_magnitude(F a, F x) { return from_bits(svmax_u32_x(all(), to_bits(a), to_bits(abs_f(x)))); }
  static float max_of_magnitudes(F x) { return __builtin_bit_cast(float, svmaxv_u32(all(), to_bits(x))); }
  static F abs_f(F a) { return svabs_f32_x(all(), a); }
  static F fma(F a, F b, F c) { return svmla_f32_x(all(), c, a, b); }
  static F round_half_up(F a) { return svrintm_f32_x(all(), svadd_n_f32_x(all(), a, 0.5f)); }
  static F load_i8_floats(const int8_t* p) { return svcvt_f32_s32_x(all(), svld1sb_s32(all(), p)); }
  // kWidth bytes.
  static F load_bytes(const int8_t* p) { return load_i8_floats(p); }
  static F load_bytes(const uint8_t* p) { return svcvt_f32_u32_x(all(), svld1ub_u32(all(), p)); }
  // 2^(byte - 128), 0 where that is denormal.
  static F load_powers(const uint8_t* p) {
    const SveWords less = svqsub_n_u32(svld1ub_u32(all(), p), 1);
    return from_bits(svlsl_n_u32_x(all(), less, 23));
  }
  // Halves of which these bytes are bits 7 to 14 and the others 0.
  static F load_short_f16(const uint8_t* p) { return from_halves(svlsl_n_u32_x(all(), svld1ub_u32(all(), p), 7)); }
  // The nibbles of kWidth bytes, 0 to 15.
  static F load_low_nibbles(const uint8_t* p) {
    return svcvt_f32_u32_x(all(), svand_n_u32_x(all(), svld1ub_u32(all(), p), 15));
  }
  static F load_high_nibbles(const uint8_t* p) {
    return svcvt_f32_u32_x(all(), svlsr_n_u32_x(all(), svld1ub_u32(all(), p), 4));
  }
  static F set_half(uint16_t half) { return from_halves(svdup_u32(half)); }
  static uint16_t to_half(float x) { return vget_lane_u16(vreinterpret_u16_f16(vcvt_f16_f32(vdupq_n_f32(x))), 0); }
  // Lane i is the sum over x[i]: sums of neighbours, until a lane is left of each.
  static F sum_each(const F (&x)[kWidth]) {
    F sums[kWidth];
#pragma GCC unroll 16
    for (int i = 0; i < kWidth; ++i) sums[i] = x[i];
#pragma GCC unroll 4
    for (int n = kWidth / 2; n > 0; n /= 2)
#pragma GCC unroll 8
      for (int i = 0; i < n; ++i)
        sums[i] = add(svuzp1_f32(sums[2 * i], sums[2 * i + 1]), svuzp2_f32(sums[2 * i], sums[2 * i + 1]));
    return sums[0];
  }
  // Each round shuffles the rows' halves together, as cards.
  static void transpose(F (&m)[kWidth]) {
#pragma GCC unroll 4
    for (int round = 1; round < kWidth; round *= 2) {
      F shuffled[kWidth];
#pragma GCC unroll 8
      for (int i = 0; i < kWidth / 2; ++i) {
        shuffled[2 * i] = svzip1_f32(m[i], m[i + kWidth / 2]);
        shuffled[2 * i + 1] = svzip2_f32(m[i], m[i + kWidth / 2]);
      }
#pragma GCC unroll 16
      for (int i = 0; i < kWidth; ++i) m[i] = shuffled[i];
    }
  }
  // Lane i gets that of lane i ^ kDistance.
  template <int kDistance>
  static F exchange(F x, std::integral_constant<int, kDistance>) {
    return svtbl_f32(x, sveor_n_u32_x(all(), lanes(), kDistance));
  }
  // 2^n of 1.5 * 2^23 + 127 + n, n in [-127, 127]; 0 of -127.
  static F to_exponent(F x) { return from_bits(svlsl_n_u32_x(all(), to_bits(x), 23)); }
  static float sum(F x) { return svaddv_f32(all(), x); }
  static float max_of(F x) { return svmaxnmv_f32(all(), x); }
  static float first(F x) { return svlastb_f32(svptrue_pat_b32(SV_VL1), x); }

  // Keeps a vector that many products share in its register.
  static void hold(F& x) { asm("" : "+w"(x)); }

  // Signed 32-bit lanes and sets of lanes (bit i is lane i), for selection.
  static I set1_i(int32_t x) { return svdup_s32(x); }
  static I load_i(const int32_t* p) { return svld1_s32(all(), p); }
  static void store_i(int32_t* p, I x) { svst1_s32(all(), p, x); }
  static I add_i(I a, I b) { return svadd_s32_x(all(), a, b); }
  static I min_i(I a, I b) { return svmin_s32_x(all(), a, b); }
  static I max_i(I a, I b) { return svmax_s32_x(all(), a, b); }
  static SveWords bits_of_lanes() { return svlsl_u32_x(all(), svdup_u32(1), lanes()); }
  static uint32_t set_of(svbool_t lanes) { return static_cast<uint32_t>(svorv_u32(lanes, bits_of_lanes())); }
  static uint32_t greater(I a, I b) { return set_of(svcmpgt_s32(all(), a, b)); }
  static uint32_t reaches(F x, F least) { return set_of(svcmpge_f32(all(), x, least)); }
  // Integers in the order of the floats; -0 as 0, every NaN as -0x7fffffff.
  static I sort_keys(F x) {
    const I bits = svdup_n_s32_m(svreinterpret_s32_f32(x), svcmpuo_f32(all(), x, x), -1);
    const I magnitude = svand_n_s32_x(all(), bits, 0x7fffffff);
    return svneg_s32_m(magnitude, svcmplt_n_s32(all(), bits, 0), magnitude);
  }
  // The lanes of the set, moved together; writes a whole vector.
  static void compress(int32_t* p, I x, uint32_t set) {
    const svbool_t chosen = svcmpne_n_u32(all(), svand_n_u32_x(all(), bits_of_lanes(), set), 0);
    store_i(p, svcompact_s32(chosen, x));
  }
};
