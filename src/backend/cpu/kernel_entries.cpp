// The members of a kernel table as a list.
#include <utility>

#include "backend/cpu/kernel_list.h"
#include "graph/ops/activation.h"
#include "quant/registry.h"

namespace skald {
namespace {

std::string format_name(size_t id) {
  if (id == format_i8.id) return std::string(format_i8.name);
  const Format* const format = find_format(static_cast<uint32_t>(id));
  return format ? std::string(format->name) : "";
}

std::string activation_name(size_t id) { return Activate{static_cast<Activation>(id)}.describe(); }

std::string index_name(size_t id) {
  switch (static_cast<KeyIndex>(id)) {
    case KeyIndex::kF16:
      return "f16";
    case KeyIndex::kInt8:
      return "int8";
    case KeyIndex::kInt4:
      return "int4";
    case KeyIndex::kNone:
      break;
  }
  return {};
}

std::string codes_name(size_t kind) {
  switch (static_cast<KeyCodes>(kind)) {
    case KeyCodes::kBytes:
      return "kc8";
    case KeyCodes::kNibbles:
      return "kc4";
    case KeyCodes::kNone:
      break;
  }
  return {};
}

class Entries {
 public:
  template <class Fn>
  void add(std::string_view kernel, Fn* function, std::string of = {}) {
    all_.push_back({.kernel = kernel, .of = std::move(of), .function = reinterpret_cast<void (*)()>(function)});
  }
  // Indices without a name have no functions.
  template <class Array>
  void add_each(std::string_view kernel, const Array& functions, std::string (*name)(size_t)) {
    for (size_t i = 0; i < functions.size(); ++i)
      if (std::string of = name(i); !of.empty()) add(kernel, functions[i], std::move(of));
  }
  template <class Array>
  void add_formats(std::string_view kernel, const Array& functions) {
    add_each(kernel, functions, format_name);
  }
  std::vector<KernelEntry> take() { return std::move(all_); }

 private:
  std::vector<KernelEntry> all_;
};

void add_weights(Entries& out, const KernelTable& t) {
  out.add_formats("matmul", t.matmul);
  out.add("matmul_decoded", t.matmul_decoded);
  out.add_formats("packed_matmul", t.packed_matmul);
  out.add_formats("store", t.store);
}

void add_attention(Entries& out, const KernelTable& t) {
  out.add_formats("row_scores", t.row_scores);
  out.add_formats("row_scores_in_order", t.row_scores_in_order);
  out.add_formats("dim_scores", t.dim_scores);
  out.add_formats("values", t.values);
  out.add_formats("unpack_key_rows", t.unpack_key_rows);
  out.add_formats("unpack_key_dims", t.unpack_key_dims);
  out.add_formats("unpack_values", t.unpack_values);
  out.add_formats("store_dims", t.store_dims);
  out.add("adjust_scores", t.adjust_scores);
  out.add("softmax", t.softmax);
  out.add("panel_gemm", t.panel_gemm);
  out.add("quantize_keys", t.quantize_keys);
  out.add("quantize_values", t.quantize_values);
  out.add("quantize_weights", t.quantize_weights);
  out.add("panel_gemm_q16", t.panel_gemm_q16);
  out.add("split_panels", t.split_panels);
  out.add("split_rows", t.split_rows);
  out.add("panel_gemm_bf16x2", t.panel_gemm_bf16x2);
  out.add("hadamard", t.hadamard);
  out.add_each("index_scores", t.index_scores, index_name);
  out.add_each("store_index", t.store_index, index_name);
  out.add_each("store_codes", t.store_codes, codes_name);
  out.add_each("fold_queries", t.fold_queries, codes_name);
  out.add_each("code_scores", t.code_scores, codes_name);
  out.add_each("code_dim_scores", t.code_dim_scores, codes_name);
  out.add_each("unpack_codes", t.unpack_codes, codes_name);
  out.add("select_top", t.select_top);
}

void add_rows(Entries& out, const KernelTable& t) {
  out.add("quantize_q8", t.quantize_q8);
  out.add("quantize_q16", t.quantize_q16);
  out.add("to_bf16", t.to_bf16);
  out.add("rms_norm", t.rms_norm);
  out.add("layer_norm", t.layer_norm);
  out.add("rope", t.rope);
  out.add("add", t.add);
  out.add("mul", t.mul);
  out.add("scale", t.scale);
  out.add("add_scaled", t.add_scaled);
  out.add("softcap", t.softcap);
  out.add("update_state", t.update_state);
  out.add("read_state", t.read_state);
  out.add("scan_state", t.scan_state);
  out.add("conv_row", t.conv_row);
  out.add_each("activation", t.activation, activation_name);
  out.add_each("glu", t.glu, activation_name);
}

}  // namespace

std::vector<KernelEntry> kernel_entries(const KernelTable& table) {
  Entries out;
  add_weights(out, table);
  add_attention(out, table);
  add_rows(out, table);
  return out.take();
}

}  // namespace skald
