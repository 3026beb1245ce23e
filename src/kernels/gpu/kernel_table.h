// GpuKernels: the functions of a device that launch kernels. Each kernel file fills its entries, once for each device that
// it is compiled for.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/gpu/args.h"
#include "kernels/gpu/attention.h"
#include "kernels/gpu/best_tokens.h"
#include "kernels/gpu/limits.h"
#include "kernels/gpu/simt_types.h"
#include "tensor/activation.h"

namespace skald::gpu {

/// Puts a kernel at the end of a stream, for up to `rows` rows.
template <class Args>
using Launch = void (*)(simt::Stream, const Args&, int64_t rows);

inline constexpr size_t kFormats = 64;  // ids of formats that a weight may have are below

/// By the columns of a head: see attention.h.
using AttentionLaunches = std::array<Launch<AttentionArgs>, std::size(kAttentionWidths)>;
using SparqLaunches = std::array<Launch<SparqArgs>, std::size(kAttentionWidths)>;

struct GpuKernels {
  std::array<Launch<EmbedArgs>, kFormats> embed = {};      // by the table's format; null: there is none
  std::array<Launch<ProductArgs>, kFormats> product = {};  // by the weight's, as all below: of those in fragments
  std::array<Launch<LinearArgs>, kFormats> linear = {};    // of formats without fragments, as expert_linear
  Launch<RowFormsArgs> row_forms = nullptr;                // for weights in fragments
  std::array<Launch<HeadLinearArgs>, kFormats> head_linear = {};
  std::array<Launch<ExpertLinearArgs>, kFormats> expert_linear = {};
  Launch<SortExpertsArgs> sort_experts = nullptr;
  Launch<MixExpertsArgs> mix_experts = nullptr;
  Launch<ChooseExpertsArgs> choose_experts = nullptr;
  Launch<WeighExpertsArgs> weigh_experts = nullptr;
  Launch<RmsNormArgs> rms_norm = nullptr;
  Launch<LayerNormArgs> layer_norm = nullptr;
  Launch<PartsArgs> mean = nullptr, softmax = nullptr;
  Launch<HeadColumnsArgs> head_columns = nullptr;
  Launch<JoinHeadsArgs> join_heads = nullptr;
  Launch<LogTemperatureArgs> log_temperature = nullptr;
  Launch<DistanceBiasArgs> distance_bias = nullptr;
  Launch<RopeTableArgs> rope_table = nullptr;
  Launch<RopeArgs> rope = nullptr;
  Launch<BinaryArgs> add = nullptr, mul = nullptr;
  Launch<UnaryArgs> scale = nullptr, clamp = nullptr, softcap = nullptr, rsqrt = nullptr, sigmoid = nullptr;
  Launch<UnaryArgs> softplus = nullptr, xielu = nullptr;
  std::array<Launch<UnaryArgs>, kActivations> activation = {};
  std::array<Launch<GluArgs>, kActivations> glu = {};
  Launch<CausalConvArgs> causal_conv = nullptr;  // rows: of the step, at least as many as sequences
  Launch<DeltaNetArgs> delta_net = nullptr;
  Launch<StateSpaceArgs> state_space = nullptr;
  Launch<PickRowsArgs> pick_rows = nullptr;
  Launch<KvAppendArgs> kv_append = nullptr;
  Launch<RopeAppendArgs> rope_append = nullptr;
  Launch<IndexAppendArgs> index_append = nullptr;
  Launch<AttentionArgs> attention = nullptr;                                           // of any heads
  std::array<AttentionLaunches, kFormats> attention_parts = {}, attention_tiles = {};  // by the cache's format
  Launch<SparqArgs> sparq_scores = nullptr, sparq_ranks = nullptr;
  std::array<SparqLaunches, kFormats> attention_chosen = {};  // by the cache's format; f32: of any keys and values
  Launch<ChooseKeysArgs> choose_keys = nullptr;
  Launch<BestTokensArgs> best_tokens = nullptr;
  Launch<ReadBytesArgs> read_bytes = nullptr;  // rows: blocks, as of those that multiply
  Launch<MultiplyArgs> multiply_halves = nullptr, multiply_codes = nullptr;
};

template <class Target>
void fill_embed(GpuKernels& kernels);
template <class Target>
void fill_linear(GpuKernels& kernels);
template <class Target>
void fill_row_forms(GpuKernels& kernels);
template <class Target>
void fill_code_products(GpuKernels& kernels);
template <class Target>
void fill_half_products(GpuKernels& kernels);
template <class Target>
void fill_head_linear(GpuKernels& kernels);
template <class Target>
void fill_experts(GpuKernels& kernels);
template <class Target>
void fill_choose_experts(GpuKernels& kernels);
template <class Target>
void fill_norms(GpuKernels& kernels);
template <class Target>
void fill_parts(GpuKernels& kernels);
template <class Target>
void fill_heads(GpuKernels& kernels);
template <class Target>
void fill_temperature(GpuKernels& kernels);
template <class Target>
void fill_distance_bias(GpuKernels& kernels);
template <class Target>
void fill_rope(GpuKernels& kernels);
template <class Target>
void fill_elementwise(GpuKernels& kernels);
template <class Target>
void fill_causal_conv(GpuKernels& kernels);
template <class Target>
void fill_delta_net(GpuKernels& kernels);
template <class Target>
void fill_state_space(GpuKernels& kernels);
template <class Target>
void fill_pick_rows(GpuKernels& kernels);
template <class Target>
void fill_kv_append(GpuKernels& kernels);
template <class Target>
void fill_index_append(GpuKernels& kernels);
template <class Target>
void fill_attention(GpuKernels& kernels);
template <class Target>
void fill_attention_parts(GpuKernels& kernels);
template <class Target>
void fill_attention_tiles(GpuKernels& kernels);
template <class Target>
void fill_sparq_scores(GpuKernels& kernels);
template <class Target>
void fill_sparq_ranks(GpuKernels& kernels);
template <class Target>
void fill_attention_chosen(GpuKernels& kernels);
template <class Target>
void fill_choose_keys(GpuKernels& kernels);
template <class Target>
void fill_best_tokens(GpuKernels& kernels);
template <class Target>
void fill_limits(GpuKernels& kernels);

/// All of a device's; simt::HostTarget and, where nvcc was there, simt::CudaTarget.
template <class Target>
GpuKernels gpu_kernels() {
  GpuKernels kernels;
  fill_embed<Target>(kernels);
  fill_linear<Target>(kernels);
  fill_row_forms<Target>(kernels);
  fill_code_products<Target>(kernels);
  fill_half_products<Target>(kernels);
  fill_head_linear<Target>(kernels);
  fill_experts<Target>(kernels);
  fill_choose_experts<Target>(kernels);
  fill_norms<Target>(kernels);
  fill_parts<Target>(kernels);
  fill_heads<Target>(kernels);
  fill_temperature<Target>(kernels);
  fill_distance_bias<Target>(kernels);
  fill_rope<Target>(kernels);
  fill_elementwise<Target>(kernels);
  fill_causal_conv<Target>(kernels);
  fill_delta_net<Target>(kernels);
  fill_state_space<Target>(kernels);
  fill_pick_rows<Target>(kernels);
  fill_kv_append<Target>(kernels);
  fill_index_append<Target>(kernels);
  fill_attention<Target>(kernels);
  fill_attention_parts<Target>(kernels);
  fill_attention_tiles<Target>(kernels);
  fill_sparq_scores<Target>(kernels);
  fill_sparq_ranks<Target>(kernels);
  fill_attention_chosen<Target>(kernels);
  fill_choose_keys<Target>(kernels);
  fill_best_tokens<Target>(kernels);
  fill_limits<Target>(kernels);
  return kernels;
}

}  // namespace skald::gpu
