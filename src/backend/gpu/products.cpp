#include "backend/gpu/products.h"

#include <algorithm>

#include "quant/fragments.h"

namespace skald::gpu {
namespace {

ProductPart part_of(const Product& p) {
  const Shape& shape = p.weight.shape();
  ProductPart out{.weights = p.weight.data, .out = p.out, .added = p.added, .biases = p.biases, .scales = p.scales};
  out.n = static_cast<int>(shape[shape.rank() - 2]);
  return out;
}

}  // namespace

std::vector<Product> side_by_side(std::span<const TensorView> weights, Matrix out, Matrix added) {
  std::vector<Product> products;
  for (const TensorView& w : weights) {
    products.push_back({w, out, added});
    out.data += w.rows();
    if (added.data) added.data += w.rows();
  }
  return products;
}

Products::Products(const GpuContext& cx, const GpuOpArgs& io, const TensorView& x, int64_t parts)
    : cx_(cx), io_(io), x_(matrix(x)), parts_(parts), columns_(x.cols() / parts), made_(io.form_plan.made) {}

void Products::make(FormSet wanted) {
  const FormSet missing = wanted & ~made_;
  if (!missing) return;
  made_ |= missing;
  RowFormsArgs args{.rows = io_.count, .x = x_, .columns = columns_};
  args.out = row_forms(missing, io_.rows * parts_, columns_, io_.forms);
  args.parts = parts_;
  cx_.kernels.row_forms(cx_.stream, args, io_.rows);
}

ProductArgs Products::args_for(uint32_t format) const {
  const RowForms forms = row_forms(form_of(format), io_.rows * parts_, columns_, io_.forms);
  ProductArgs args{.rows = io_.count, .coded = forms.coded, .split = forms.f16 ? forms.f16 : forms.bf16};
  args.steps = static_cast<int>(find_fragments(format)->steps(columns_));
  args.units = static_cast<int>(forms.units);
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
  FormSet wanted = 0;
  for (const Product& p : all)
    if (p.weight.packed) wanted |= form_of(p.weight.desc.format->id);
  make(wanted);
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
