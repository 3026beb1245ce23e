// Shared by q4_k and q5_k for GPU kernels (kernels/gpu/formats.h): a code times its part's scale, less the part's offset.
template <class Block>
SIMT_DEV float lined_value(const Block& b, int part, int code) {
  const uint8_t* bytes = b.parts.bytes;  // as SixBitPairs has them
  const int scale_high = bytes[part % 4] >> 6, offset_high = bytes[part % 4 + 4] >> 6;
  const int scale = part < 4 ? bytes[part] & 63 : (bytes[part + 4] & 15) | scale_high << 4;
  const int offset = part < 4 ? bytes[part + 4] & 63 : bytes[part + 4] >> 4 | offset_high << 4;
  return simt::to_float(simt::F16{b.d}) * static_cast<float>(scale) * static_cast<float>(code) -
         simt::to_float(simt::F16{b.min}) * static_cast<float>(offset);
}
