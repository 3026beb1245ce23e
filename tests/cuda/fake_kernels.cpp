// The kernels of cards, which are the host's here.
#include "kernels/gpu/kernel_table.h"

namespace skald::gpu {

using simt::CudaTarget, simt::HostTarget;

template <>
void fill_embed<CudaTarget>(GpuKernels& kernels) {
  fill_embed<HostTarget>(kernels);
}
template <>
void fill_linear<CudaTarget>(GpuKernels& kernels) {
  fill_linear<HostTarget>(kernels);
}
template <>
void fill_row_forms<CudaTarget>(GpuKernels& kernels) {
  fill_row_forms<HostTarget>(kernels);
}
template <>
void fill_code_products<CudaTarget>(GpuKernels& kernels) {
  fill_code_products<HostTarget>(kernels);
}
template <>
void fill_half_products<CudaTarget>(GpuKernels& kernels) {
  fill_half_products<HostTarget>(kernels);
}
template <>
void fill_head_linear<CudaTarget>(GpuKernels& kernels) {
  fill_head_linear<HostTarget>(kernels);
}
template <>
void fill_experts<CudaTarget>(GpuKernels& kernels) {
  fill_experts<HostTarget>(kernels);
}
template <>
void fill_choose_experts<CudaTarget>(GpuKernels& kernels) {
  fill_choose_experts<HostTarget>(kernels);
}
template <>
void fill_norms<CudaTarget>(GpuKernels& kernels) {
  fill_norms<HostTarget>(kernels);
}
template <>
void fill_parts<CudaTarget>(GpuKernels& kernels) {
  fill_parts<HostTarget>(kernels);
}
template <>
void fill_heads<CudaTarget>(GpuKernels& kernels) {
  fill_heads<HostTarget>(kernels);
}
template <>
void fill_temperature<CudaTarget>(GpuKernels& kernels) {
  fill_temperature<HostTarget>(kernels);
}
template <>
void fill_distance_bias<CudaTarget>(GpuKernels& kernels) {
  fill_distance_bias<HostTarget>(kernels);
}
template <>
void fill_rope<CudaTarget>(GpuKernels& kernels) {
  fill_rope<HostTarget>(kernels);
}
template <>
void fill_elementwise<CudaTarget>(GpuKernels& kernels) {
  fill_elementwise<HostTarget>(kernels);
}
template <>
void fill_causal_conv<CudaTarget>(GpuKernels& kernels) {
  fill_causal_conv<HostTarget>(kernels);
}
template <>
void fill_delta_net<CudaTarget>(GpuKernels& kernels) {
  fill_delta_net<HostTarget>(kernels);
}
template <>
void fill_state_space<CudaTarget>(GpuKernels& kernels) {
  fill_state_space<HostTarget>(kernels);
}
template <>
void fill_pick_rows<CudaTarget>(GpuKernels& kernels) {
  fill_pick_rows<HostTarget>(kernels);
}
template <>
void fill_kv_append<CudaTarget>(GpuKernels& kernels) {
  fill_kv_append<HostTarget>(kernels);
}
template <>
void fill_index_append<CudaTarget>(GpuKernels& kernels) {
  fill_index_append<HostTarget>(kernels);
}
template <>
void fill_attention<CudaTarget>(GpuKernels& kernels) {
  fill_attention<HostTarget>(kernels);
}
template <>
void fill_attention_parts<CudaTarget>(GpuKernels& kernels) {
  fill_attention_parts<HostTarget>(kernels);
}
template <>
void fill_attention_tiles<CudaTarget>(GpuKernels& kernels) {
  fill_attention_tiles<HostTarget>(kernels);
}
template <>
void fill_sparq_scores<CudaTarget>(GpuKernels& kernels) {
  fill_sparq_scores<HostTarget>(kernels);
}
template <>
void fill_sparq_ranks<CudaTarget>(GpuKernels& kernels) {
  fill_sparq_ranks<HostTarget>(kernels);
}
template <>
void fill_attention_chosen<CudaTarget>(GpuKernels& kernels) {
  fill_attention_chosen<HostTarget>(kernels);
}
template <>
void fill_choose_keys<CudaTarget>(GpuKernels& kernels) {
  fill_choose_keys<HostTarget>(kernels);
}
template <>
void fill_best_tokens<CudaTarget>(GpuKernels& kernels) {
  fill_best_tokens<HostTarget>(kernels);
}
template <>
void fill_limits<CudaTarget>(GpuKernels& kernels) {
  fill_limits<HostTarget>(kernels);
}

}  // namespace skald::gpu
