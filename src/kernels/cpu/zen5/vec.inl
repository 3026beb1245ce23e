#include "kernels/cpu/avx512vnni/int8.inl"

// Zen 5 wants each line asked for once, and into L1. A core reads q4_k at 37 GB/s instead of Zen 4's way's 31, f16 at 36
// instead of 29, where plain loads read 43. A single head asks for its cache a fixed way ahead: 36 GB/s instead of 28.
struct V : Avx512Vnni {
  static constexpr bool kAsksForPages = true;
  static constexpr int kAheadHeads = 1;
  static constexpr int64_t kAskBytes = 8192;
  static constexpr int kKeysTogether = 2;

  static F dot_bf16(F sum, W w, W x) {
    return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(w), reinterpret_cast<__m512bh>(x));
  }
};

static_assert(FloatLanes<V> && IntLanes<V> && Prefetching<V>);
static_assert(PanelDots<V> && BytePairs<V>);
static_assert(HalfDots<V> && PairsBytes<V> && HalfPanels<V>);
static_assert(FindsLargest<V, GroupF16> && FindsLargest<V, GroupBf16>);
static_assert(Bf16Dots<V>);
