// EXAONE 4: norms after attention and feed-forward, none before; norms on query and key heads; where the file has windows,
// the layers without one have no RoPE either. LG AI Research, arXiv 2507.11407.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/decoder.h"
#include "models/parts/ffn.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  const bool windowed = m.has("attention.sliding_window");
  const LayerWindows windows = windowed ? read_windows(m, p.n_layers, 4) : no_windows(p.n_layers);
  return decoder(net, p, [&](Net& blk, int64_t i, Tensor x) {
    Qkv a = with_head_rms_norms(blk, separate_qkv(blk, x, p), p);
    if (!windowed || windows.in(i)) a = with_rope(blk, a, p, rope);
    x = x + blk.rms_norm("post_attention_norm", attend(blk, a, attention_of(p, windows.of(i)), p.d_model), p.eps);
    return x + blk.rms_norm("post_ffw_norm", gated_ffn(blk, x, p.d_ff, Activation::kSilu), p.eps);
  });
}

extern const Family family_exaone4;
const Family family_exaone4{
    .arch = "exaone4", .build = build, .covers = "EXAONE 4 1.2B, 32B", .verified = "Exaone4ForCausalLM"};

}  // namespace skald
