// Where the functions of kernel tables are defined: the lists of each paint.inl and generic/all.inl, which a test compares.
#include "backend/cpu/kernel_list.h"
#include "quant/registry.h"

namespace skald {
namespace {

// clang-format off
constexpr KernelSource kSources[] = {
    // The tiers' own functions.
    {"amx", "packed_matmul", "bf16", "packed_matmul_bf16_tiles", "cpu/amx/packed_bf16.inl"},
    {"amx", "packed_matmul", "blocks", "packed_matmul_tiles", "cpu/amx/packed_int8.inl"},
    {"amx", "split_panels", "", "split_panels", "cpu/amx/panels_bf16.inl"},
    {"amx", "split_rows", "", "split_rows", "cpu/amx/panels_bf16.inl"},
    {"amx", "panel_gemm_bf16x2", "", "panel_gemm_bf16x2", "cpu/amx/panels_bf16.inl"},
    {"amx", "row_scores", "blocks", "row_scores_vnni", "cpu/avx512vnni/scores.inl"},
    {"zen5", "row_scores", "blocks", "row_scores_vnni", "cpu/avx512vnni/scores.inl"},
    {"zen5", "matmul", "bf16", "matmul_bf16", "cpu/avx512bf16/matmul.inl"},
    {"zen5", "packed_matmul", "bf16", "packed_matmul_bf16", "generic/packed_bf16.inl"},
    {"avx512bf16", "row_scores", "blocks", "row_scores_vnni", "cpu/avx512vnni/scores.inl"},
    {"avx512bf16", "matmul", "bf16", "matmul_bf16", "cpu/avx512bf16/matmul.inl"},
    {"avx512bf16", "packed_matmul", "bf16", "packed_matmul_bf16", "generic/packed_bf16.inl"},
    {"avx512vnni", "row_scores", "blocks", "row_scores_vnni", "cpu/avx512vnni/scores.inl"},
    {"avx512vnni", "matmul", "blocks", "matmul_vnni", "cpu/avx512vnni/matmul.inl"},
    {"i8mm", "packed_matmul", "bf16", "packed_matmul_bf16", "generic/packed_bf16.inl"},
    {"i8mm", "packed_matmul", "blocks", "packed_matmul_matrices", "cpu/i8mm/packed_int8.inl"},
    {"scalar", "index_scores", "int4", "index_scores_int4", "cpu/scalar/index.inl"},
    // Of which no tier has its own.
    {"", "index_scores", "int4", "index_scores_int4", "generic/index_int4.inl"},
    // Generic kernels that a tier prefers or has no vectors for.
    {"avx512", "packed_matmul", "floats", "packed_matmul_float", "generic/packed_float.inl"},
    {"avx512", "values", "blocks", "values", "generic/values.inl"},
    {"avx512", "index_scores", "", "index_scores", "generic/index.inl"},
    {"avx2", "packed_matmul", "floats", "packed_matmul_float", "generic/packed_float.inl"},
    {"avx2", "index_scores", "", "index_scores_by_streams", "generic/index_streams.inl"},
    {"sve256", "packed_matmul", "floats", "packed_matmul_float", "generic/packed_float.inl"},
    {"sve256", "values", "blocks", "values", "generic/values.inl"},
    {"sve256", "index_scores", "", "index_scores_by_streams", "generic/index_streams.inl"},
    {"sve512", "packed_matmul", "floats", "packed_matmul_float", "generic/packed_float.inl"},
    {"sve512", "values", "blocks", "values", "generic/values.inl"},
    {"sve512", "index_scores", "", "index_scores_by_streams", "generic/index_streams.inl"},
    {"neon", "packed_matmul", "floats", "packed_matmul_float", "generic/packed_float.inl"},
    {"neon", "values", "blocks", "values", "generic/values.inl"},
    {"neon", "index_scores", "", "index_scores_by_streams", "generic/index_streams.inl"},
    // The reference.
    {"scalar", "matmul", "", "matmul", "cpu/scalar/matmul.inl"},
    {"scalar", "matmul_decoded", "", "matmul_decoded", "cpu/scalar/matmul.inl"},
    {"scalar", "packed_matmul", "", "packed_matmul", "cpu/scalar/matmul.inl"},
    {"scalar", "store", "", "store_", "cpu/scalar/rows.inl"},
    {"scalar", "row_scores", "", "row_scores", "cpu/scalar/attention.inl"},
    {"scalar", "row_scores_in_order", "", "row_scores", "cpu/scalar/attention.inl"},
    {"scalar", "dim_scores", "", "dim_scores", "cpu/scalar/attention.inl"},
    {"scalar", "values", "", "values", "cpu/scalar/attention.inl"},
    {"scalar", "unpack_key_rows", "", "unpack_key_rows", "cpu/scalar/attention.inl"},
    {"scalar", "unpack_key_dims", "", "unpack_key_dims", "cpu/scalar/attention.inl"},
    {"scalar", "unpack_values", "", "unpack_values", "cpu/scalar/attention.inl"},
    {"scalar", "store_dims", "", "store_dims", "cpu/scalar/attention.inl"},
    {"scalar", "adjust_scores", "", "adjust_scores", "cpu/scalar/attention.inl"},
    {"scalar", "softmax", "", "softmax", "cpu/scalar/attention.inl"},
    {"scalar", "panel_gemm", "", "panel_gemm", "cpu/scalar/attention.inl"},
    {"scalar", "hadamard", "", "hadamard", "cpu/scalar/attention.inl"},
    {"scalar", "index_scores", "", "index_scores", "cpu/scalar/index.inl"},
    {"scalar", "store_index", "", "store_index_", "cpu/scalar/index.inl"},
    {"scalar", "store_codes", "", "store_codes", "cpu/scalar/key_codes.inl"},
    {"scalar", "fold_queries", "", "fold_queries", "cpu/scalar/key_codes.inl"},
    {"scalar", "code_scores", "", "code_scores", "cpu/scalar/key_codes.inl"},
    {"scalar", "code_dim_scores", "", "code_dim_scores", "cpu/scalar/key_codes.inl"},
    {"scalar", "unpack_codes", "", "unpack_codes", "cpu/scalar/key_codes.inl"},
    {"scalar", "select_top", "", "select_top", "cpu/scalar/select.inl"},
    {"scalar", "quantize_q8", "", "quantize_q8", "cpu/scalar/rows.inl"},
    {"scalar", "to_bf16", "", "to_bf16", "cpu/scalar/rows.inl"},
    {"scalar", "rms_norm", "", "rms_norm", "cpu/scalar/rows.inl"},
    {"scalar", "layer_norm", "", "layer_norm", "cpu/scalar/rows.inl"},
    {"scalar", "rope", "", "rope", "cpu/scalar/rows.inl"},
    {"scalar", "add", "", "add", "cpu/scalar/rows.inl"},
    {"scalar", "mul", "", "mul", "cpu/scalar/rows.inl"},
    {"scalar", "scale", "", "scale", "cpu/scalar/rows.inl"},
    {"scalar", "add_scaled", "", "add_scaled", "cpu/scalar/rows.inl"},
    {"scalar", "softcap", "", "softcap", "cpu/scalar/rows.inl"},
    {"scalar", "update_state", "", "update_state", "cpu/scalar/recurrent.inl"},
    {"scalar", "read_state", "", "read_state", "cpu/scalar/recurrent.inl"},
    {"scalar", "scan_state", "", "scan_state", "cpu/scalar/recurrent.inl"},
    {"scalar", "conv_row", "", "conv_row", "cpu/scalar/recurrent.inl"},
    {"scalar", "activation", "", "activation", "cpu/scalar/activation.inl"},
    {"scalar", "glu", "", "glu", "cpu/scalar/activation.inl"},
    // All tiers with vectors.
    {"", "matmul", "floats", "matmul_float", "generic/matmul_float.inl"},
    {"", "matmul", "blocks", "matmul_int8", "generic/matmul_int8.inl"},
    {"", "matmul_decoded", "", "matmul_decoded", "generic/decoded.inl"},
    {"", "packed_matmul", "floats", "packed_matmul_int16", "generic/packed_int16.inl"},
    {"", "packed_matmul", "blocks", "packed_matmul_int8", "generic/packed_int8.inl"},
    {"", "store", "", "store_", "generic/store.inl"},
    {"", "row_scores", "floats", "row_scores", "generic/scores.inl"},
    {"", "row_scores", "blocks", "row_scores_int8", "generic/scores_int8.inl"},
    {"", "row_scores_in_order", "", "row_scores_in_order", "generic/scores.inl"},
    {"", "dim_scores", "", "dim_scores", "generic/scores.inl"},
    {"", "values", "floats", "values", "generic/values.inl"},
    {"", "values", "blocks", "values_int16", "generic/values_int16.inl"},
    {"", "unpack_key_rows", "", "unpack_key_rows", "generic/panels.inl"},
    {"", "unpack_key_dims", "", "unpack_key_dims", "generic/panels.inl"},
    {"", "unpack_values", "", "unpack_values", "generic/panels.inl"},
    {"", "store_dims", "", "store_dims", "generic/store.inl"},
    {"", "adjust_scores", "", "adjust_scores", "generic/softmax.inl"},
    {"", "softmax", "", "softmax", "generic/softmax.inl"},
    {"", "panel_gemm", "", "panel_gemm", "generic/panels.inl"},
    {"", "quantize_keys", "", "quantize_keys", "generic/panels_int16.inl"},
    {"", "quantize_values", "", "quantize_values", "generic/panels_int16.inl"},
    {"", "quantize_weights", "", "quantize_weights", "generic/panels_int16.inl"},
    {"", "panel_gemm_q16", "", "panel_gemm_q16", "generic/panels_int16.inl"},
    {"", "hadamard", "", "hadamard", "generic/hadamard.inl"},
    {"", "index_scores", "", "index_scores_int16", "generic/index_int16.inl"},
    {"", "store_index", "", "store_index_", "generic/index.inl"},
    {"", "store_codes", "", "store_codes", "generic/key_codes.inl"},
    {"", "fold_queries", "", "fold_queries", "generic/key_codes.inl"},
    {"", "code_scores", "", "row_scores", "generic/scores.inl"},
    {"", "code_dim_scores", "", "dim_scores", "generic/scores.inl"},
    {"", "unpack_codes", "", "unpack_codes", "generic/key_codes.inl"},
    {"", "select_top", "", "select_top", "generic/select.inl"},
    {"", "quantize_q8", "", "quantize_q8", "generic/store.inl"},
    {"", "quantize_q16", "", "quantize_q16", "generic/packed_int16.inl"},
    {"", "to_bf16", "", "to_bf16", "generic/store.inl"},
    {"", "rms_norm", "", "rms_norm", "generic/elementwise.inl"},
    {"", "layer_norm", "", "layer_norm", "generic/elementwise.inl"},
    {"", "rope", "", "rope", "generic/elementwise.inl"},
    {"", "add", "", "add", "generic/elementwise.inl"},
    {"", "mul", "", "mul", "generic/elementwise.inl"},
    {"", "scale", "", "scale", "generic/elementwise.inl"},
    {"", "add_scaled", "", "add_scaled", "generic/elementwise.inl"},
    {"", "softcap", "", "softcap", "generic/softcap.inl"},
    {"", "update_state", "", "update_state", "generic/recurrent.inl"},
    {"", "read_state", "", "read_state", "generic/recurrent.inl"},
    {"", "scan_state", "", "scan_state", "generic/recurrent.inl"},
    {"", "conv_row", "", "conv_row", "generic/recurrent.inl"},
    {"", "activation", "", "activation", "generic/activation.inl"},
    {"", "glu", "", "glu", "generic/activation.inl"},
};
// clang-format on

bool is_one_of(std::string_view of, std::string_view which) {
  if (which.empty() || which == of) return true;
  const Format* const format = find_format(of);
  return format && which == (format->block > 1 ? "blocks" : "floats");
}

}  // namespace

std::span<const KernelSource> kernel_sources() { return kSources; }

const KernelSource* find_kernel_source(std::string_view tier, std::string_view kernel, std::string_view of) {
  for (const KernelSource& s : kSources)
    if ((s.tier.empty() || s.tier == tier) && s.kernel == kernel && is_one_of(of, s.of)) return &s;
  return nullptr;
}

}  // namespace skald
