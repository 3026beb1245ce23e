#include "kernels/cpu/dotprod/products.inl"
#include "kernels/cpu/neon/f32.inl"
#include "kernels/cpu/neon/int8.inl"

// Panels of unsigned bytes as they lie.
struct Int8I8mm : Int8Neon<DotProducts> {
  static constexpr bool kWideSums = true;

  template <int kOffset, int>
  struct Dot {
    using Sum = W;
    static Sum start(int32_t start) {
      if constexpr (kOffset == 0) return zero_w();
      return set1_shifted(start, __builtin_ctz(128 / (kOffset ? kOffset : 1)));
    }
    static Sum dot(Sum sum, W w, W x) { return {add(sum.low, w.low, x.low), add(sum.high, w.high, x.high)}; }
    static Floats finish(Sum sum, int32_t) { return floats(sum); }

   private:
    static int8x16_t add(int8x16_t sum, int8x16_t w, int8x16_t x) {
      return vreinterpretq_s8_s32(vusdotq_s32(vreinterpretq_s32_s8(sum), vreinterpretq_u8_s8(w), x));
    }
  };
};

struct V : Neon<Int8I8mm> {
  static F dot_bf16(F sum, W w, W x) { return {dot_bf16(sum.low, w.low, x.low), dot_bf16(sum.high, w.high, x.high)}; }

 private:
  static float32x4_t dot_bf16(float32x4_t sum, int8x16_t w, int8x16_t x) {
    return vbfdotq_f32(sum, vreinterpretq_bf16_s8(w), vreinterpretq_bf16_s8(x));
  }
};

static_assert(FloatLanes<V> && IntLanes<V> && Prefetching<V>);
static_assert(PanelDots<V>);
static_assert(NibbleFours<V> && Bf16Dots<V>);
