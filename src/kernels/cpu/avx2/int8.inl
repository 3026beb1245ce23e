// 32 signed bytes in a ymm register and their dot products by maddubs: shared by all x86 tiers without VNNI.
// Exact: |w| <= 128 and |a| <= 127, so a pair sums to at most 32512 in 16 bits.
struct Int8Avx2 {
  using I8 = __m256i;
  using D = __m256;  // eight partial sums as floats
  static constexpr int kDotWidth = 8;

  static I8 load_i8(const int8_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
  // 16 bytes: low nibbles are codes 0..15, high nibbles 16..31.
  static I8 load_nibbles(const uint8_t* p) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(bytes), _mm_srli_epi16(bytes, 4), 1);
    return _mm256_and_si256(both, _mm256_set1_epi8(15));
  }
  static I8 minus_8(I8 x) { return _mm256_sub_epi8(x, _mm256_set1_epi8(8)); }
  static I8 abs(I8 w) { return _mm256_abs_epi8(w); }
  // abs_w is |w|; the sign moves to a.
  static D dot(I8 abs_w, I8 w, I8 a) {
    const __m256i pairs = _mm256_maddubs_epi16(abs_w, _mm256_sign_epi8(a, w));
    return _mm256_cvtepi32_ps(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  }
  // Eight blocks' scales, a lane each.
  static D scales(const uint16_t (&halves)[8]) {
    const auto at = [&](int i) __attribute__((always_inline)) { return static_cast<int16_t>(halves[i]); };
    return _mm256_cvtph_ps(_mm_setr_epi16(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)));
  }
  // A block's scale in all lanes.
  static D scale(uint16_t half) { return _mm256_cvtph_ps(_mm_set1_epi16(static_cast<int16_t>(half))); }
  static D d_load(const float* p) { return _mm256_loadu_ps(p); }
  static void d_store(float* p, D x) { _mm256_storeu_ps(p, x); }
  static D d_zero() { return _mm256_setzero_ps(); }
  static D add_scaled(D dot, D w_scale, float x_scale, D sum) {
    return _mm256_fmadd_ps(dot, _mm256_mul_ps(w_scale, _mm256_set1_ps(x_scale)), sum);
  }
  // Panels: vectors of 8 rows by 4 columns of unsigned weights, and 4 activations in all lanes.
  using W = __m256i;
  static constexpr int kTileTokens = 4;
  static constexpr int kStreams = 1;             // panels that few tokens read side by side
  static constexpr bool kAsksForPanels = false;  // few tokens' passes over single panels: for the next panel too
  static W load_w(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
  static void store_w(void* p, W x) { _mm256_storeu_si256(static_cast<__m256i*>(p), x); }
  static W set1_w(int32_t x) { return _mm256_set1_epi32(x); }
  static W low_nibbles(W x) { return _mm256_and_si256(x, _mm256_set1_epi8(15)); }
  // (x >> right) & mask of each byte; to the left where `right` is negative.
  static W bits(W x, int right, int mask) {
    const __m256i shifted = right > 0 ? _mm256_srli_epi16(x, right) : right < 0 ? _mm256_slli_epi16(x, -right) : x;
    return _mm256_and_si256(shifted, _mm256_set1_epi8(static_cast<char>(mask)));
  }
  static W add_w(W a, W b) { return _mm256_add_epi32(a, b); }
  // Within each half, four by four lanes.
  static void transpose_halves(W (&m)[4]) {
    const __m256i low = _mm256_unpacklo_epi32(m[0], m[1]), high = _mm256_unpackhi_epi32(m[0], m[1]);
    const __m256i low2 = _mm256_unpacklo_epi32(m[2], m[3]), high2 = _mm256_unpackhi_epi32(m[2], m[3]);
    m[0] = _mm256_unpacklo_epi64(low, low2);
    m[1] = _mm256_unpackhi_epi64(low, low2);
    m[2] = _mm256_unpacklo_epi64(high, high2);
    m[3] = _mm256_unpackhi_epi64(high, high2);
  }
  static void transpose_w(W (&m)[8]) {
    W first[4] = {m[0], m[1], m[2], m[3]}, second[4] = {m[4], m[5], m[6], m[7]};
    transpose_halves(first);
    transpose_halves(second);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      m[i] = _mm256_permute2x128_si256(first[i], second[i], 0x20);
      m[i + 4] = _mm256_permute2x128_si256(first[i], second[i], 0x31);
    }
  }
  // 16 bytes of each.
  static W load_beside(const void* a, const void* b) {
    const __m256i first = _mm256_castsi128_si256(_mm_loadu_si128(static_cast<const __m128i*>(a)));
    return _mm256_inserti128_si256(first, _mm_loadu_si128(static_cast<const __m128i*>(b)), 1);
  }
  static W either(W a, W b) { return _mm256_or_si256(a, b); }
  static W lookup(const uint8_t (&levels)[16], W numbers) {
    const __m128i table = _mm_loadu_si128(reinterpret_cast<const __m128i*>(levels));
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), numbers);
  }
  static W high_nibbles(W x) { return _mm256_and_si256(_mm256_srli_epi16(x, 4), _mm256_set1_epi8(15)); }

  // Pages of 64 codes of four bits in columns.
  static constexpr int kPages = 1;
  static constexpr bool kWideSums = false;
  static W load_page_nibbles(const void* page) { return load_w(page); }
  static W set_pages(const int32_t* of_pages) { return set1_w(*of_pages); }
  // Of keys 0 to 3 and 16 to 19, then 4 to 7 and 20 to 23, and so on.
  static void order_pages(W (&sums)[4]) {
    const W first = sums[0], second = sums[1], third = sums[2], fourth = sums[3];
    sums[0] = _mm256_permute2x128_si256(first, second, 0x20);
    sums[1] = _mm256_permute2x128_si256(third, fourth, 0x20);
    sums[2] = _mm256_permute2x128_si256(first, second, 0x31);
    sums[3] = _mm256_permute2x128_si256(third, fourth, 0x31);
  }
  static void interleave_fours(W (&m)[4]) {
    const __m256i low = _mm256_unpacklo_epi8(m[0], m[1]), high = _mm256_unpackhi_epi8(m[0], m[1]);
    const __m256i low2 = _mm256_unpacklo_epi8(m[2], m[3]), high2 = _mm256_unpackhi_epi8(m[2], m[3]);
    m[0] = _mm256_unpacklo_epi16(low, low2);
    m[1] = _mm256_unpackhi_epi16(low, low2);
    m[2] = _mm256_unpacklo_epi16(high, high2);
    m[3] = _mm256_unpackhi_epi16(high, high2);
  }
  static W low_bytes(const __m256 (&x)[4]) {
    const auto byte = [&](int i) __attribute__((always_inline)) {
      return _mm256_and_si256(_mm256_castps_si256(x[i]), _mm256_set1_epi32(255));
    };
    const __m256i low = _mm256_or_si256(byte(0), _mm256_slli_epi32(byte(1), 8));
    return _mm256_or_si256(low, _mm256_or_si256(_mm256_slli_epi32(byte(2), 16), _mm256_slli_epi32(byte(3), 24)));
  }

  // Adds products of pairs of 16 bits.
  static W dot_pairs(W sum, W a, W b) { return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b)); }
  static W less(W codes, int offset) { return _mm256_sub_epi8(codes, _mm256_set1_epi8(static_cast<char>(offset))); }

  // Sixteen registers: the compiler would begin many steps at once and spill. These keep the order of the source.
  static void pin(W& sum) { asm("" : "+x"(sum)); }
  static void step_done() { asm volatile("" ::: "memory"); }

  // Sums of a block's products with weights of 0 to kMaxCode less kOffset; `start` is -128 times the sum of its activations.
  template <int kOffset, int kMaxCode>
  struct Dot;

  static float d_sum(D x, D y) {
    const __m256 s = _mm256_add_ps(x, y);
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(s), _mm256_extractf128_ps(s, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
  }
};

// Bytes: as signed ones again, for only the sign of |w| <= 128 can move without saturation.
template <>
struct Int8Avx2::Dot<128, 255> {
  using Sum = __m256i;
  // Signs have all bits set where weights are negative. An activation's complement is one less than its negative. The
  // missing part of products with magnitudes then does not depend on the activation, and any port takes the instruction.
  struct Weights {
    W magnitudes, signs;
  };
  static Weights split(W codes) { return {_mm256_abs_epi8(codes), _mm256_cmpgt_epi8(_mm256_setzero_si256(), codes)}; }
  static Sum start(int32_t) { return _mm256_setzero_si256(); }
  static Sum dot(Sum sum, const Weights& w, W x) {
    return add_pairs(sum, _mm256_maddubs_epi16(w.magnitudes, _mm256_xor_si256(x, w.signs)));
  }
  static Sum add_lack(Sum sum, const Weights& w) {
    return add_pairs(sum, _mm256_maddubs_epi16(_mm256_and_si256(w.magnitudes, w.signs), _mm256_set1_epi8(1)));
  }
  // The same the other way round, which takes weights as they lie: bit 7 of `flips` makes them signed.
  struct Activations {
    W magnitudes, flips;
  };
  static Activations flip(W x) {
    const __m256i signs = _mm256_cmpgt_epi8(_mm256_setzero_si256(), x);
    return {_mm256_abs_epi8(x), _mm256_xor_si256(signs, _mm256_set1_epi8(-128))};
  }
  static Sum dot(Sum sum, W w, const Activations& x) {
    return add_pairs(sum, _mm256_maddubs_epi16(x.magnitudes, _mm256_xor_si256(w, x.flips)));
  }
  // Weights whose signs move to activations: nothing is lacking then.
  struct Signed {
    W magnitudes, codes;
  };
  static Signed keep_signs(W codes) { return {_mm256_abs_epi8(codes), codes}; }
  static Sum dot(Sum sum, const Signed& w, W x) {
    return add_pairs(sum, _mm256_maddubs_epi16(w.magnitudes, _mm256_sign_epi8(x, w.codes)));
  }
  static Sum dot(Sum sum, W w, W x) { return dot(sum, keep_signs(less(w, 128)), x); }
  static Sum add_pairs(Sum sum, __m256i pairs) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  }
  static __m256 finish(Sum sum, int32_t) { return _mm256_cvtepi32_ps(sum); }
};

// Up to four bits: a block's pairs fit into 16 bits (8 steps of 2 * 15 * 127). Up to seven: those of a step do.
template <int kOffset, int kMaxCode>
struct Int8Avx2::Dot {
  using Sum = __m256i;
  static constexpr bool kSixteen = kMaxCode <= 15;
  static Sum offset(int32_t start) {
    if constexpr (kOffset == 0) return _mm256_setzero_si256();
    return _mm256_srai_epi32(_mm256_set1_epi32(start), __builtin_ctz(128 / (kOffset ? kOffset : 1)));
  }
  static Sum start(int32_t start) { return kSixteen ? _mm256_setzero_si256() : offset(start); }
  static Sum dot(Sum sum, W w, W x) {
    const __m256i pairs = _mm256_maddubs_epi16(w, x);
    if constexpr (kSixteen) return _mm256_add_epi16(sum, pairs);
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  }
  static __m256 finish(Sum sum, int32_t start) {
    if constexpr (!kSixteen) return _mm256_cvtepi32_ps(sum);
    return _mm256_cvtepi32_ps(_mm256_add_epi32(_mm256_madd_epi16(sum, _mm256_set1_epi16(1)), offset(start)));
  }
};
