// Llama 4, text: three of four layers see chunks of the context, with RoPE and normalised queries and keys; the fourth sees
// all of it, without. A token goes to one expert, whose input it weighs, and a shared one. Meta, ai.meta.com/blog, 2025.
#include "base/error.h"
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"
#include "models/parts/moe.h"
#include "models/parts/norms.h"

namespace skald {

// Files do not say these; they are the released models'.
static constexpr int64_t kChunk = 8192, kMaxExpertsWithNorms = 127;
static constexpr LogTemperature kTemperature{0.1f, kChunk, 1};

static Tensor attention(Net& blk, Tensor h, const DecoderParams& p, const RopeSpec& rope, bool norms) {
  Attention a = attention_of(p);
  a.window.chunk = p.window;
  Qkv x = separate_qkv(blk, h, p);
  // Rotation changes no length, so norms may come first.
  if (norms) x = {normalised(x.q, p.n_heads, p.eps), normalised(x.k, p.n_kv_heads, p.eps), x.v};
  return attend(blk, with_rope(blk, x, p, rope), a, p.d_model);
}

static Tensor global_attention(Net& blk, Tensor h, const DecoderParams& p, const LogTemperature& t) {
  Attention a = attention_of(p);
  a.window = {};
  Qkv x = separate_qkv(blk, h, p);
  x.q = blk.temper(x.q, t);
  return attend(blk, x, a, p.d_model);
}

static Tensor experts(Net& blk, Tensor h, const MoeParams& moe) {
  const Tensor scores = sigmoid(blk.linear("ffn_gate_inp", h, moe.n_experts));
  const Tensor id = blk.choose_experts(scores, moe.choice, ""), share = blk.weigh_experts(scores, id, {});
  const Tensor one = blk.weigh_experts(scores, id, {.softmax = true});  // the result is not weighed again
  const Tensor inner =
      blk.expert_glu_linear("ffn_gate_exps", "ffn_up_exps", h * share, id, moe.n_experts, moe.d_ff, moe.activation);
  return blk.mix_experts("ffn_down_exps", inner, id, one, moe.n_experts, h.cols()) + shared_ffn(blk, h, moe.d_ff);
}

static Tensor build(Net& net, const MetaView& m) {
  DecoderParams p = read_decoder(m);
  const auto positions = [&](std::string_view key) { return m.has(key) ? m.in_range(key, 1, int64_t{1} << 40) : kChunk; };
  p.window = positions("attention.sliding_window");
  const MoeParams moe = read_moe(net, m, p);
  if (moe.choice.k != 1) fail(Errc::kUnsupported, "key {}: want 1 expert per token", m.full("expert_used_count"));
  const int64_t step = m.in_range("interleave_moe_layer_step", 1, p.n_layers);
  const LogTemperature temperature{read_positive(m, "attention.temperature_scale", kTemperature.scale),
                                   positions("attention.temperature_length"), kTemperature.first};
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kInterleaved);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    const Tensor h = blk.rms_norm("attn_norm", x, p.eps);
    x = x + (i % 4 == 3 ? global_attention(blk, h, p, temperature)
                        : attention(blk, h, p, rope, moe.n_experts <= kMaxExpertsWithNorms));
    const Tensor y = blk.rms_norm("ffn_norm", x, p.eps);
    x = x + ((i + 1) % step ? gated_ffn(blk, y, p.d_ff, Activation::kSilu) : experts(blk, y, moe));
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_llama4;
const Family family_llama4{
    .arch = "llama4", .build = build, .covers = "Llama 4 Scout, Maverick (text)", .verified = "Llama4ForCausalLM"};

}  // namespace skald
