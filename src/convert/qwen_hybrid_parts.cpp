#include "convert/qwen_hybrid_parts.h"

#include <cmath>

#include "base/error.h"
#include "convert/layer_keys.h"
#include "convert/requirements.h"

namespace skald {
namespace {

struct Heads {
  int64_t keys, values, d_k, d_v;
};

Heads heads_of(const MetaView& m) {
  const Heads h{m.in_range("ssm.group_count", 1, 65536), m.in_range("ssm.time_step_rank", 1, 65536),
                m.in_range("ssm.state_size", 1, 65536), 0};
  return {h.keys, h.values, h.d_k, m.i64("ssm.inner_size") / h.values};
}

// Heads of an axis as (key heads, their value heads, d): the other way round, so that they take turns.
StoredView tiled(const StoredView& in, int axis, int64_t d, const MetaView& m) {
  const Heads h = heads_of(m);
  return in.split(axis, {h.keys, h.values / h.keys, d}).swap(axis, axis + 1);
}

std::vector<bool> recurrent_layers(const HfConfig& c, int64_t interval) {
  constexpr std::string_view kKinds[] = {"linear_attention", "full_attention"};
  const std::vector<std::string> kinds = layer_kinds(c, kKinds);
  if (!kinds.empty()) return layers_that_are(kinds, kKinds[0]);
  std::vector<bool> out;
  for (int64_t i = 1; i <= c.n_layers(); ++i) out.push_back(i % interval != 0);
  return out;
}

void delta_net_keys(const HfConfig& c, Hyperparameters& out) {
  const int64_t heads = c.i64("linear_num_value_heads", 32), keys = c.i64("linear_num_key_heads", 16);
  if (heads == 0 || keys == 0 || heads % keys)
    fail(Errc::kBadFile, "config.json: linear_num_value_heads: {} do not divide over {} key heads", heads, keys);
  out.size("ssm.conv_kernel", c.i64("linear_conv_kernel_dim", 4));
  out.size("ssm.state_size", c.i64("linear_key_head_dim", 128));
  out.size("ssm.group_count", keys);
  out.size("ssm.time_step_rank", heads);
  out.size("ssm.inner_size", heads * c.i64("linear_value_head_dim", 128));
}

}  // namespace

LazyTensor tiled_values(const StoredView& in, const MetaView& m) { return {in.shape(), {tiled(in, 0, heads_of(m).d_v, m)}}; }

LazyTensor tiled_heads(const StoredView& in, const MetaView& m) { return {in.shape(), {tiled(in, 0, 1, m)}}; }

LazyTensor tiled_rates(const StoredView& in, const MetaView& m) {
  LazyTensor out = tiled_heads(in, m);
  out.function = rates(in, m).function;
  return out;
}

LazyTensor tiled_columns(const StoredView& in, const MetaView& m) {
  return {in.shape(), {tiled(in, 1, heads_of(m).d_v, m)}};
}

LazyTensor tiled_qkv(const StoredView& in, const MetaView& m) {
  const StoredView flat = in.rank() == 3 ? in.at(1, 0) : in;  // filters of the convolution too
  const Heads h = heads_of(m);
  const int64_t n = 2 * h.keys * h.d_k;
  return {flat.shape(), {flat.take(0, 0, n), tiled(flat.take(0, n, h.values * h.d_v), 0, h.d_v, m)}};
}

void qwen_layers_ahead(int64_t n, const MetaView& m, Hyperparameters& out) {
  constexpr const char* kLayers = "attention.recurrent_layers";
  std::vector<bool> layers = m.meta().flags(m.full(kLayers));
  layers.resize(layers.size() + static_cast<size_t>(n));
  out.flags(kLayers, std::move(layers));
}

void qwen_hybrid_keys(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "attn_output_gate", true, true);
  constexpr const char* kInterval = "full_attention_interval";
  const int64_t interval = c.i64(kInterval, 4);
  if (interval == 0) fail(Errc::kBadFile, "config.json: {}: want a number from 1 on", kInterval);
  decoder_keys(c, out);
  out.size("attention.key_length", c.d_head());
  out.size("attention.value_length", c.d_head());
  rope_keys(c, out, c.d_head());
  rope_section_keys(c, out);
  delta_net_keys(c, out);
  out.flags("attention.recurrent_layers", recurrent_layers(c, interval));
  out.size(kInterval, interval);
  note_layers_ahead(c, out);
}

}  // namespace skald
