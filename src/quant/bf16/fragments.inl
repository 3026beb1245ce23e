// bf16 in fragments, for GPU kernels.
struct FragmentsBf16 {
  static constexpr uint32_t kId = BlockBf16::kId;
  SIMT_DEV static void multiply(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) { simt::mma_bf16(c, a, b); }
};
using fragments_of_bf16 = FragmentsBf16;
