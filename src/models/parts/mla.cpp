#include "models/parts/mla.h"

#include <cmath>

#include "base/error.h"
#include "models/parts/hparams.h"

namespace skald {
namespace {

constexpr int64_t kMaxDim = int64_t{1} << 24;
constexpr std::string_view kKvHeads = "attention.head_count_kv";

int64_t first_of(const MetaView& m, const char* key, const char* otherwise) {
  return m.in_range(m.has(key) ? key : otherwise, 1, kMaxDim);
}

void expect(const MetaView& m, const char* key, int64_t want) {
  if (const int64_t said = m.i64(key, want); said != want)
    fail(Errc::kUnsupported, "key {}: {}, and latent attention of these sizes has {}", m.full(key), said, want);
}

// Of one layer: others may have another kind of attention, or none.
int64_t kv_heads(const MetaView& m, int64_t layer, int64_t fallback) {
  if (!m.has(kKvHeads)) return fallback;
  const std::vector<int64_t> all = read_layer_numbers(m, kKvHeads, read_layer_count(m), 0, 65536);
  return all[static_cast<size_t>(layer)];
}

// Files have the sizes of the cache of latent vectors too; older ones, whose heads' keys are cached, count all heads.
void check_cache(const Net& net, const MetaView& m, const MlaParams& p, int64_t layer) {
  const bool latent = !net.layer_at(layer).has_weight("attn_kv_b.weight");
  const int64_t usual = latent ? 1 : p.n_heads, said = kv_heads(m, layer, usual);
  if (said != usual && said != p.n_heads)
    fail(Errc::kUnsupported, "key {}: {}, and latent attention of these sizes has {}", m.full(kKvHeads), said, usual);
  if (m.has("attention.key_length_mla")) expect(m, "attention.key_length", p.kv_rank + p.d_rope);
  // Values are parts of the latent vectors, against a file's other keys, which may give another head size.
  if (m.has("attention.value_length_mla")) m.has("attention.value_length");
}

// (tokens, heads * (d_plain + d_rope)), not rotated.
Tensor queries(Net& blk, Tensor latent, const MlaParams& p) {
  const Tensor q = blk.linear(p.q_rank ? "attn_q_b" : "attn_q", latent, p.n_heads * (p.d_plain + p.d_rope));
  return p.temperature ? blk.temper(q, *p.temperature) : q;
}

Attention attention_of(const MlaParams& p) {
  return {.n_heads = p.n_heads,
          .n_kv_heads = p.n_heads,
          .d_k = p.d_plain + p.d_rope,
          .d_v = p.d_v,
          .scale = p.scale,
          .chosen = static_cast<int32_t>(p.most_keys)};
}

// Heads of `plain` values without positions, then d_rope with them.
Tensor rotated_behind(Net& blk, Tensor x, int64_t plain, const MlaParams& p) {
  if (!p.rope) return x;
  RopeSpec rope = *p.rope;
  rope.first = plain;
  return blk.rope(x, plain + p.d_rope, rope);
}

// Keys and values of each head; latent (tokens, kv_rank), rotated (tokens, d_rope).
Tensor by_heads(Net& blk, Tensor q, Tensor latent, Tensor rotated, const MlaParams& p, Tensor chosen) {
  const Tensor kv = blk.linear("attn_kv_b", latent, p.n_heads * (p.d_plain + p.d_v));
  const Tensor k = blk.join_heads(blk.head_columns(kv, p.n_heads, 0, p.d_plain), rotated, p.n_heads, true);
  const Tensor v = blk.head_columns(kv, p.n_heads, p.d_plain, p.d_v);
  const Attention a = attention_of(p);
  return blk.attention(rotated_behind(blk, q, p.d_plain, p), blk.cache(k, v, a), a, {.chosen = chosen});
}

// One key and value for all heads, the latent vector. The matrix that makes keys of it moves to the queries, the one that
// makes values of it to the results.
Tensor by_latent(Net& blk, Tensor q, Tensor latent, Tensor rotated, const MlaParams& p, Tensor chosen) {
  const Tensor plain = blk.head_linear("attn_k_b", blk.head_columns(q, p.n_heads, 0, p.d_plain), p.n_heads, p.kv_rank);
  const Tensor joined = blk.join_heads(plain, blk.head_columns(q, p.n_heads, p.d_plain, p.d_rope), p.n_heads);
  Attention a = attention_of(p);
  a.n_kv_heads = 1;
  a.d_k = p.kv_rank + p.d_rope;
  a.d_v = p.kv_rank;
  const Net::Cached cached = blk.cache(blk.join_heads(latent, rotated, 1), latent, a);
  const Tensor out = blk.attention(rotated_behind(blk, joined, p.kv_rank, p), cached, a, {.chosen = chosen});
  return blk.head_linear("attn_v_b", out, p.n_heads, p.d_v);
}

}  // namespace

MlaParams read_mla(Net& net, const MetaView& m, int64_t layer) {
  MlaParams p{};
  p.n_heads = m.in_range("attention.head_count", 1, 65536);
  p.q_rank = m.has("attention.q_lora_rank") ? m.in_range("attention.q_lora_rank", 0, kMaxDim) : 0;
  p.kv_rank = m.in_range("attention.kv_lora_rank", 1, kMaxDim);
  // Files whose cache holds latent vectors give the sizes of these under the usual names.
  const int64_t d_k = first_of(m, "attention.key_length_mla", "attention.key_length");
  p.d_v = first_of(m, "attention.value_length_mla", "attention.value_length");
  p.d_rope = m.in_range("rope.dimension_count", 2, d_k - 1);
  p.d_plain = d_k - p.d_rope;
  p.eps = read_epsilon(m, "attention.layer_norm_rms_epsilon");
  p.rope = read_rope(net, m, p.d_rope, RopePairs::kInterleaved);
  p.scale = 1.0f / std::sqrt(static_cast<float>(d_k));
  if (RopeTable& table = p.rope->table; table.scaling == RopeScaling::kYarn) {
    // YaRN's factor of scores acts on whole heads, not on the rotated values alone.
    const float sharpen = 1.0f + read_finite(m, "rope.scaling.yarn_log_multiplier", 0) * std::log(table.factor);
    p.scale *= sharpen * sharpen;
    table.magnitude = 1.0f;
  }
  p.temperature = read_temperature(m);
  check_cache(net, m, p, layer);
  return p;
}

Tensor query_latent(Net& blk, Tensor h, const MlaParams& p) {
  return p.q_rank ? blk.rms_norm("attn_q_a_norm", blk.linear("attn_q_a", h, p.q_rank), p.eps) : h;
}

Tensor mla(Net& blk, Tensor h, const MlaParams& p) { return mla(blk, h, query_latent(blk, h, p), p); }

Tensor mla(Net& blk, Tensor h, Tensor query_latent, const MlaParams& p, Tensor chosen) {
  const Tensor compressed = blk.linear("attn_kv_a_mqa", h, p.kv_rank + p.d_rope);
  const Tensor latent = blk.rms_norm("attn_kv_a_norm", blk.columns(compressed, 0, p.kv_rank), p.eps);
  const Tensor rotated = rotated_behind(blk, blk.columns(compressed, p.kv_rank, p.d_rope), 0, p);
  const auto attend = blk.has_weight("attn_kv_b.weight") ? by_heads : by_latent;
  const Tensor out = attend(blk, queries(blk, query_latent, p), latent, rotated, p, chosen);
  return blk.linear("attn_output", out, h.cols());
}

}  // namespace skald
