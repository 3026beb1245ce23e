// InternLM2 and 2.5: Llama with packed projections.
#include <array>

#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kInternlm2Classes[] = {"InternLM2ForCausalLM"};

// Rows of `count` heads from `first` on, of each group of queries with their key and value; in the order of interleaved RoPE
// for those that are rotated.
LazyTensor heads(const StoredView& in, const MetaView& m, int64_t first, int64_t count, bool rotated) {
  const int64_t groups = m.in_range("attention.head_count_kv", 1, 65536);
  const int64_t queries = m.in_range("attention.head_count", groups, 65536) / groups;
  const StoredView all = in.split(0, {groups, queries + 2, 0});  // (groups, queries + 2, d_head[, d_model])
  const StoredView some = all.take(1, first < 0 ? queries + 2 + first : first, count ? count : queries);
  std::array<int64_t, Shape::kMaxRank> dims = {groups * some.dim(1) * some.dim(2)};
  for (int i = 1; i < in.rank(); ++i) dims[static_cast<size_t>(i)] = in.dim(i);
  return {Shape(dims.data(), in.rank()), {rotated ? some.split(2, {2, 0}).swap(2, 3) : some}};
}

LazyTensor queries(const StoredView& in, const MetaView& m) { return heads(in, m, 0, 0, true); }
LazyTensor keys(const StoredView& in, const MetaView& m) { return heads(in, m, -2, 1, true); }
LazyTensor values(const StoredView& in, const MetaView& m) { return heads(in, m, -1, 1, false); }

constexpr TensorRule kInternlm2Tensors[] = {
    {"token_embd", "model.tok_embeddings"},
    {"output_norm", "model.norm"},
    {"output", "output"},
    {"blk.#.attn_norm", "model.layers.#.attention_norm"},
    {"blk.#.attn_q", "model.layers.#.attention.wqkv", queries},
    {"blk.#.attn_k", "model.layers.#.attention.wqkv", keys},
    {"blk.#.attn_v", "model.layers.#.attention.wqkv", values},
    {"blk.#.attn_output", "model.layers.#.attention.wo"},
    {"blk.#.ffn_norm", "model.layers.#.ffn_norm"},
    {"blk.#.ffn_gate", "model.layers.#.feed_forward.w1"},
    {"blk.#.ffn_up", "model.layers.#.feed_forward.w3"},
    {"blk.#.ffn_down", "model.layers.#.feed_forward.w2"},
};

void describe_internlm2(const HfConfig& c, Hyperparameters& out) {
  decoder_keys(c, out);
  out.size("vocab_size", c.i64("vocab_size"));
  rope_keys(c, out, c.d_head());
}

}  // namespace

extern const HfFamily hf_family_internlm2;
const HfFamily hf_family_internlm2{
    .classes = kInternlm2Classes, .arch = "internlm2", .describe = describe_internlm2, .tensors = {kInternlm2Tensors}};

}  // namespace skald
