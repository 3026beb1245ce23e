#include "kernels/cpu/dotprod/int8.inl"
#include "kernels/cpu/neon/f32.inl"

// Panels of unsigned bytes as they lie.
struct Int8I8mm : Int8Dotprod {
  static constexpr bool kWideSums = true;

  template <int kOffset, int>
  struct Dot {
    using Sum = W;
    static Sum start(int32_t start) {
      if constexpr (kOffset == 0) return zero_w();
      return set1_shifted(start, __builtin_ctz(128 / (kOffset ? kOffset : 1)));
    }
    static Sum dot(Sum sum, W w, W x) {
      return each(
          sum, w, [&](int32x4_t four, uint8x16_t codes, auto half) __attribute__((always_inline)) {
            return vusdotq_s32(four, codes, x.*half);
          });
    }
    template <int kLane>
    static Sum dot(Sum sum, W w, Lane<kLane> x) {
      return each(
          sum, w, [&](int32x4_t four, uint8x16_t codes, auto) __attribute__((always_inline)) {
            return vusdotq_laneq_s32(four, codes, x.fours, kLane);
          });
    }
    static Floats finish(Sum sum, int32_t) { return floats(sum); }

   private:
    template <class Fn>
    static Sum each(Sum sum, W w, Fn fn) {
      const auto of = [&](int8x16_t W::*half) __attribute__((always_inline)) {
        return vreinterpretq_s8_s32(fn(vreinterpretq_s32_s8(sum.*half), vreinterpretq_u8_s8(w.*half), half));
      };
      return {of(&W::low), of(&W::high)};
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
static_assert(PanelDots<V> && LaneDots<V>);
static_assert(NibbleFours<V> && Bf16Dots<V>);
