#include "kernels/cpu/avx512vnni/int8.inl"

// AMD's cores await few lines for L1 and many for L2. A kernel that multiplies much for each line must ask for it early,
// into L2. On Zen 4 decoding for groups of four goes from 24 to 33 GB/s where plain loads read 35, eight tokens of q8_0 from
// 27 to 33. Where little is done for a line they fetch it themselves, better unasked.
struct V : Avx512Vnni {
  static constexpr bool kAsksForPanels = true;
  static constexpr bool kAsksForPages = true;
  static constexpr int kUnaskedHeads = 1;
  static constexpr int kAskLevel = 2;
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
