// OPT: learned positions, LayerNorm before the blocks, or after them and narrower embeddings (350m); ReLU, biases
// everywhere. Zhang et al., arXiv 2205.01068. Galactica is OPT with GELU.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m, kLayerNormEps);
  const bool norm_before = m.flag("do_layer_norm_before", true), projected = net.has_weight("project_out.weight");
  const Activation f = read_activation(m, Activation::kRelu);
  const int64_t n_vocab = net.rows_of("token_embd.weight"),
                d_embed = projected ? net.rows_of("project_out.weight") : p.d_model;

  Tensor x = net.embed("token_embd", n_vocab, d_embed);  // (tokens, d_embed)
  if (projected) x = net.linear("project_in", x, p.d_model);
  x = x + net.embed_positions("position_embd", p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    const auto residual = [&](const char* norm, auto block) {
      return norm_before ? x + block(blk.layer_norm(norm, x, p.eps)) : blk.layer_norm(norm, x + block(x), p.eps);
    };
    x = residual("attn_norm", [&](Tensor h) { return attend(blk, separate_qkv(blk, h, p), attention_of(p), p.d_model); });
    x = residual("ffn_norm", [&](Tensor h) { return plain_ffn(blk, h, p.d_ff, f); });
  }
  x = net.output_rows(x);
  if (norm_before) x = net.layer_norm("output_norm", x, p.eps);
  if (projected) x = net.linear("project_out", x, d_embed);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_opt;
const Family family_opt{.arch = "opt", .build = build, .covers = "OPT, Galactica", .verified = "OPTForCausalLM, both forms"};

}  // namespace skald
