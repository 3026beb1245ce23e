// ModernBERT: RoPE, norms before the blocks but for the first attention, a gated feed-forward in one matrix. Every third
// layer sees all tokens, the others those around, with RoPE of another base. Warner et al., arXiv 2412.13663.
#include "base/error.h"
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/encoder.h"
#include "models/parts/ffn.h"

namespace skald {
namespace {

// The gate's function; derivatives have SiLU.
Activation gate_of(const MetaView& m) {
  const std::string name = m.str("hidden_activation", "gelu");
  if (name == "gelu") return Activation::kGelu;
  if (name == "silu") return Activation::kSilu;
  fail(Errc::kUnsupported, "key {}: activation '{}' is not supported; known: gelu, silu", m.full("hidden_activation"), name);
}

}  // namespace

static Tensor build(Net& net, const MetaView& m) {
  see_all(net, m);
  const DecoderParams p = read_decoder(m, kLayerNormEps);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves), near = local_rope(m, rope);
  const bool local = m.has("attention.sliding_window");
  const LayerWindows windows = local ? read_windows(m, p.n_layers, 3, {}, /*full_first=*/true) : no_windows(p.n_layers);
  const Activation gate = gate_of(m);

  Tensor x = net.layer_norm("token_embd_norm", net.embed("token_embd", net.rows_of("token_embd.weight"), p.d_model),
                            p.eps);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    const Tensor h = i > 0 || blk.has_weight("attn_norm.weight") ? blk.layer_norm("attn_norm", x, p.eps) : x;
    const Qkv a = with_rope(blk, packed_qkv(blk, h, p), p, windows.in(i) ? near : rope);
    x = x + attend(blk, a, attention_of(p, around(windows.of(i))), p.d_model);
    x = x + packed_gated_ffn(blk, blk.layer_norm("ffn_norm", x, p.eps), p.d_ff, gate);
  }
  return net.states(net.layer_norm("output_norm", net.output_rows(x), p.eps));
}

extern const Family family_modern_bert;
const Family family_modern_bert{.arch = "modern-bert",
                                .build = build,
                                .covers = "ModernBERT, GTE and Granite Embedding of it",
                                .verified = "ModernBertModel",
                                .score_head = {.activation = Activation::kGelu, .of_mean = true}};

}  // namespace skald
