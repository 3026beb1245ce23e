#include "tensor/format.h"

#include <cstring>

namespace skald {
namespace {

void copy_out(const void* src, float* dst, int64_t n) { std::memcpy(dst, src, static_cast<size_t>(n) * sizeof(float)); }
void copy_in(const float* src, void* dst, int64_t n) { std::memcpy(dst, src, static_cast<size_t>(n) * sizeof(float)); }

}  // namespace

const Format format_f32{.name = "f32", .id = 0, .block = 1, .block_bytes = 4, .decode = copy_out, .encode = copy_in};
const Format format_i32{.name = "i32", .id = 26, .block = 1, .block_bytes = 4, .decode = nullptr, .encode = nullptr};
const Format format_i8{.name = "i8", .id = 24, .block = 1, .block_bytes = 1, .decode = nullptr, .encode = nullptr};

}  // namespace skald
