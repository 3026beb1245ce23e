#include "backend/gpu/products.h"

#include <algorithm>

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

ProductPart part_of(const Product& p) {
  const Shape& shape = p.weight.shape();
  ProductPart out{.weights = p.weight.data, .out = p.out, .added = p.added, .biases = p.biases, .scales = p.scales};
  out.n = static_cast<int>(shape[shape.rank() - 2]);
  return out;
}

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

ProductArgs Products::args_for(uint32_t format) {
  ProductArgs args{.rows = io_.count};
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

void Products::multiply(std::span<const Product> all) {
  multiply_fragments(all);
  for (const Product& p : all)
    if (!p.weight.packed)
      cx_.kernels.linear[p.weight.desc.format->id](cx_.stream, {io_.count, x_, weight_rows(p.weight), p.out, p.added},
                                                   io_.rows);
}

void Products::multiply_fragments(std::span<const Product> all, const ExpertJobs& jobs) {
  const auto is_of = [](const Product& p, uint32_t format) { return p.weight.packed && p.weight.desc.format->id == format; };
  const auto launch = [&](uint32_t format, ProductArgs& args) {
    cx_.kernels.product[format](cx_.stream, args, io_.rows);
    args.n_parts = args.panels = 0;
  };
  for (auto first = all.begin(); first != all.end(); ++first) {
    const uint32_t format = first->weight.desc.format->id;
    const auto same = [&](const Product& p) { return is_of(p, format); };
    if (!first->weight.packed || std::any_of(all.begin(), first, same)) continue;
    ProductArgs args = args_for(format);
    args.jobs = jobs;
    for (auto p = first; p != all.end(); ++p) {
      if (same(*p)) args.add(part_of(*p));
      if (args.n_parts == ProductArgs::kMaxParts) launch(format, args);
    }
    if (args.n_parts) launch(format, args);
  }
}

}  // namespace skald::gpu
