// Sixteen levels that nibbles name, for GPU kernels (kernels/gpu/formats.h), as numbers of eight bytes: code for devices
// cannot index the arrays of headers.
consteval uint64_t packed_levels(const int8_t (&levels)[16], int first) {
  uint64_t packed = 0;
  for (int i = 0; i < 8; ++i) packed |= uint64_t{static_cast<uint8_t>(levels[first + i])} << i * 8;
  return packed;
}
template <const int8_t (&levels)[16], int first>
constexpr uint64_t kPackedLevels = packed_levels(levels, first);

template <const int8_t (&levels)[16]>
SIMT_DEV float level_of(int code) {
  const uint64_t packed = code < 8 ? kPackedLevels<levels, 0> : kPackedLevels<levels, 8>;
  return static_cast<float>(static_cast<int8_t>(packed >> code % 8 * 8));
}
