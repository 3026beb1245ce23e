#include "backend/gpu/products.h"

#include "backend/scratch.h"
#include "base/checked.h"
#include "base/error.h"
#include "quant/bf16/block.h"
#include "quant/f16/block.h"
#include "quant/fragments.h"

namespace skald::gpu {
namespace {

constexpr int64_t kUnit = 128, kBlocks = 4;                     // columns of coded rows, and their blocks
constexpr int64_t kTile = 32, kTileRows = 4, kTileBytes = 512;  // of split rows

int64_t units(int64_t columns) { return ceil_div(columns, kUnit); }

/// Where each form of the rows lies.
struct Forms {
  Forms(int64_t rows, int64_t columns, std::byte* base) : scratch(base) {
    const int64_t n = rows * units(columns);
    coded = {scratch.take<int8_t>(n * kUnit), scratch.take<float>(n * kBlocks), scratch.take<float>(n * kBlocks)};
    for (std::byte*& s : split)
      s = scratch.take<std::byte>(ceil_div(rows, kTileRows) * ceil_div(columns, kTile) * kTileBytes);
  }
  Scratch scratch;
  CodedRows coded;
  std::byte* split[2] = {};
};

bool is_split(uint32_t format) { return format == BlockF16::kId || format == BlockBf16::kId; }

}  // namespace

int64_t products_scratch(const ValueDesc& x, int64_t parts) {
  return Forms(x.shape[0] * parts, x.shape.back() / parts, nullptr).scratch.used();
}

Products::Products(const GpuContext& cx, const GpuOpArgs& io, const TensorView& x, std::byte* scratch, int64_t parts)
    : cx_(cx), io_(io), x_(matrix(x)), parts_(parts), columns_(x.cols() / parts) {
  const Forms forms(x.desc.shape[0] * parts, columns_, scratch);
  coded_ = forms.coded;
  for (int i = 0; i < 2; ++i) split_[i] = forms.split[i];
}

void Products::code() {
  if (is_coded_) return;
  is_coded_ = true;
  CodeRowsArgs args{.rows = io_.count, .x = x_, .columns = columns_, .units = units(columns_), .out = coded_};
  args.parts = parts_;
  cx_.kernels.code_rows(cx_.stream, args, io_.rows);
}

const std::byte* Products::split(uint32_t format) {
  for (int i = 0; i < n_split_; ++i)
    if (formats_[i] == format) return split_[i];
  formats_[n_split_] = format;
  std::byte* const out = split_[n_split_++];
  SplitRowsArgs args{.rows = io_.count, .x = x_, .columns = columns_, .tiles = ceil_div(columns_, kTile), .out = out};
  args.parts = parts_;
  cx_.kernels.split_rows[format](cx_.stream, args, io_.rows);
  return out;
}

ProductArgs Products::with_fragments(const TensorView& weight, const Matrix& out) {
  const uint32_t format = weight.desc.format->id;
  const Shape& shape = weight.shape();
  ProductArgs args{.rows = io_.count, .weights = weight.data, .out = out, .n = static_cast<int>(shape[shape.rank() - 2])};
  args.steps = static_cast<int>(find_fragments(format)->steps(columns_));
  if (is_split(format)) {
    args.split = split(format);
  } else {
    code();
    args.coded = coded_;
    args.units = static_cast<int>(units(columns_));
  }
  return args;
}

void Products::multiply(const TensorView& weight, const Matrix& out) {
  const uint32_t format = weight.desc.format->id;
  if (weight.packed)
    cx_.kernels.product[format](cx_.stream, with_fragments(weight, out), io_.rows);
  else
    cx_.kernels.linear[format](cx_.stream, {io_.count, x_, weight_rows(weight), out}, io_.rows);
}

}  // namespace skald::gpu
