// f16 in fragments, for GPU kernels.
struct FragmentsF16 {
  static constexpr uint32_t kId = BlockF16::kId;
  SIMT_DEV static void multiply(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) { simt::mma_f16(c, a, b); }
};
using fragments_of_f16 = FragmentsF16;
