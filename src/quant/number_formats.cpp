// skald/ops.h: formats of numbers on plain memory.
#include "base/error.h"
#include "quant/encoder.h"
#include "quant/registry.h"
#include "skald/ops.h"

namespace skald {
namespace {

const Format& checked_format(std::string_view name, int64_t n) {
  const Format* format = find_format(name);
  if (!format || !format->decode) fail(Errc::kBadInput, "{}: no format of numbers is called so", name);
  if (n < 0 || n % format->block)
    fail(Errc::kBadInput, "{}: want whole blocks of {} numbers, not {}", name, format->block, n);
  return *format;
}

}  // namespace

std::vector<NumberFormat> number_formats() {
  std::vector<NumberFormat> out;
  for (const Format* f : formats())
    if (f->decode) out.push_back({std::string(f->name), f->block, f->block_bytes, has_encoder(*f)});
  return out;
}

void quantize(std::string_view name, const float* x, int64_t n, void* out) {
  const Format& format = checked_format(name, n);
  if (!has_encoder(format)) fail(Errc::kUnsupported, "{}: this format is only read", name);
  if (const int64_t at = first_unfit(format, x, n); at < n)
    fail(Errc::kBadInput, "{}: number {} is {}, which the format cannot hold", name, at, x[at]);
  encode_weights(format, x, /*importance=*/nullptr, out, n);
}

void dequantize(std::string_view name, const void* blocks, int64_t n, float* out) {
  checked_format(name, n).decode(blocks, out, n);
}

}  // namespace skald
