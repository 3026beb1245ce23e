#include "convert/stored_tensor.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "quant/bf16/block.h"
#include "quant/f16/block.h"
#include "quant/mxfp4/block.h"
#include "quant/registry.h"

namespace skald {
namespace {

using F8Table = std::array<float, 256>;

template <float (*to_f32)(uint8_t)>
const F8Table& table() {
  static const F8Table kTable = [] {
    F8Table t;
    for (int code = 0; code < 256; ++code) t[static_cast<size_t>(code)] = to_f32(static_cast<uint8_t>(code));
    return t;
  }();
  return kTable;
}

template <class T, class Convert>
void read_as(const std::byte* from, int64_t stride, int64_t n, float* out, Convert convert) {
  const int64_t step = stride * static_cast<int64_t>(sizeof(T));
  for (int64_t i = 0; i < n; ++i) {
    T x;
    std::memcpy(&x, from + i * step, sizeof(T));
    out[i] = convert(x);
  }
}

template <class T>
void copy_as(const std::byte* from, int64_t stride, int64_t n, std::byte* out) {
  if (stride == 1) {
    std::memcpy(out, from, static_cast<size_t>(n) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    std::memcpy(out + i * static_cast<int64_t>(sizeof(T)), from + i * stride * static_cast<int64_t>(sizeof(T)), sizeof(T));
}

void scale(const Scales& s, int64_t cols, int64_t first, int64_t stride, int64_t n, float* out) {
  for (int64_t i = 0; i < n; ++i) {
    const int64_t at = first + i * stride, row = at / cols, col = at % cols;
    out[i] *= s.values[static_cast<size_t>(row / s.tile_rows * s.per_row + col / s.tile_cols)];
  }
}

// Element i of a block is in byte i / 2 here, and in byte i % 16 in a GGUF file.
uint8_t mx_code(const std::byte* block, int64_t i) {
  const auto byte = static_cast<uint8_t>(block[i / 2]);
  return i % 2 ? byte >> 4 : byte & 15;
}

void read_mx(const StoredTensor& s, int64_t first, int64_t stride, int64_t n, float* out) {
  for (int64_t i = 0; i < n; ++i) {
    const int64_t at = first + i * stride, block = at / 32;
    out[i] = mxfp4_scale(s.mx_scales[static_cast<size_t>(block)]) *
             static_cast<float>(kMxfp4Levels[mx_code(s.data.data() + block * 16, at % 32)]);
  }
}

void copy_mx(const StoredTensor& s, int64_t first, int64_t n, std::byte* out) {
  for (int64_t block = first / 32; block < (first + n) / 32; ++block) {
    const std::byte* from = s.data.data() + block * 16;
    BlockMxfp4 b;
    b.e = s.mx_scales[static_cast<size_t>(block)];
    for (int i = 0; i < 16; ++i) b.q[i] = static_cast<uint8_t>(mx_code(from, i) | mx_code(from, i + 16) << 4);
    std::memcpy(out, &b, sizeof b);
    out += sizeof b;
  }
}

int64_t element_bytes(Element element) {
  switch (element) {
    case Element::kF64:
      return 8;
    case Element::kF32:
      return 4;
    case Element::kF16:
    case Element::kBF16:
      return 2;
    case Element::kF8E4M3:
    case Element::kF8E5M2:
    case Element::kMxfp4:
      break;
  }
  return 1;
}

}  // namespace

std::optional<Element> element_of(SafetensorsType type) {
  switch (type) {
    case SafetensorsType::kF32:
      return Element::kF32;
    case SafetensorsType::kF16:
      return Element::kF16;
    case SafetensorsType::kBF16:
      return Element::kBF16;
    case SafetensorsType::kF64:
      return Element::kF64;
    case SafetensorsType::kF8E4M3:
      return Element::kF8E4M3;
    case SafetensorsType::kF8E5M2:
      return Element::kF8E5M2;
    default:
      return std::nullopt;
  }
}

float f8e4m3_to_f32(uint8_t code) {
  const int exponent = code >> 3 & 15, mantissa = code & 7;
  if ((code & 127) == 127) return std::numeric_limits<float>::quiet_NaN();
  const float magnitude =
      exponent ? std::ldexp(static_cast<float>(8 + mantissa), exponent - 10) : std::ldexp(static_cast<float>(mantissa), -9);
  return code & 128 ? -magnitude : magnitude;
}

// The upper half of an f16.
float f8e5m2_to_f32(uint8_t code) { return f16_to_f32(static_cast<uint16_t>(code << 8)); }

const Format* StoredTensor::format() const {
  switch (element) {
    case Element::kF32:
      return &format_f32;
    case Element::kF16:
      return find_format(BlockF16::kId);
    case Element::kBF16:
      return find_format(BlockBf16::kId);
    case Element::kMxfp4:
      return find_format(BlockMxfp4::kId);
    case Element::kF64:
    case Element::kF8E4M3:
    case Element::kF8E5M2:
      break;
  }
  return nullptr;
}

void StoredTensor::read(int64_t first, int64_t stride, int64_t n, float* out) const {
  if (element == Element::kMxfp4) return read_mx(*this, first, stride, n, out);
  const std::byte* from = data.data() + first * element_bytes(element);
  switch (element) {
    case Element::kF32:
      read_as<float>(from, stride, n, out, [](float x) { return x; });
      break;
    case Element::kF16:
      read_as<uint16_t>(from, stride, n, out, f16_to_f32);
      break;
    case Element::kBF16:
      read_as<uint16_t>(from, stride, n, out, bf16_to_f32);
      break;
    case Element::kF64:
      read_as<double>(from, stride, n, out, [](double x) { return static_cast<float>(x); });
      break;
    case Element::kF8E4M3:
      read_as<uint8_t>(from, stride, n, out, [&t = table<f8e4m3_to_f32>()](uint8_t x) { return t[x]; });
      break;
    case Element::kF8E5M2:
      read_as<uint8_t>(from, stride, n, out, [&t = table<f8e5m2_to_f32>()](uint8_t x) { return t[x]; });
      break;
    case Element::kMxfp4:
      break;
  }
  if (!scales.values.empty()) scale(scales, cols(), first, stride, n, out);
}

void StoredTensor::copy(int64_t first, int64_t stride, int64_t n, std::byte* out) const {
  if (element == Element::kMxfp4) {
    SKALD_ASSERT(stride == 1 && first % 32 == 0 && n % 32 == 0);
    return copy_mx(*this, first, n, out);
  }
  const int64_t bytes = element_bytes(element);
  const std::byte* from = data.data() + first * bytes;
  SKALD_ASSERT(bytes == 2 || bytes == 4);
  if (bytes == 2)
    copy_as<uint16_t>(from, stride, n, out);
  else
    copy_as<uint32_t>(from, stride, n, out);
}

}  // namespace skald
