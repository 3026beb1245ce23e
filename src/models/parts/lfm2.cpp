#include "models/parts/lfm2.h"

#include "models/parts/attention.h"
#include "models/parts/ffn.h"

namespace skald {
namespace {

// out_proj(c * conv(b * x)), with b, c and x the thirds of in_proj(h).
Tensor gated_conv(Net& blk, Tensor h, int64_t taps) {
  const int64_t n = h.cols();
  const Tensor bcx = blk.linear("shortconv.in_proj", h, 3 * n);
  const Tensor y = blk.causal_conv("shortconv.conv", blk.columns(bcx, 0, n) * blk.columns(bcx, 2 * n, n), taps);
  return blk.linear("shortconv.out_proj", blk.columns(bcx, n, n) * y, n);
}

Tensor attention(Net& blk, Tensor h, const DecoderParams& p, const RopeSpec& rope) {
  Qkv a = with_head_rms_norms(blk, separate_qkv(blk, h, p), p);
  return attend(blk, with_rope(blk, a, p, rope), attention_of(p), p.d_model);
}

}  // namespace

Tensor lfm2_decoder(Net& net, const MetaView& m, const std::optional<ExpertLayers>& experts) {
  const std::vector<DecoderParams> layers = read_decoder_layers(m);
  const DecoderParams& first = layers.front();
  const int64_t taps = m.in_range("shortconv.l_cache", 2, 16);
  const RopeSpec rope = read_rope(net, m, first.d_k, RopePairs::kHalves);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, first.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < first.n_layers; ++i) {
    const DecoderParams& p = layers[static_cast<size_t>(i)];
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    Tensor h = blk.rms_norm("attn_norm", x, p.eps);
    x = x + (p.n_kv_heads ? attention(blk, h, p, rope) : gated_conv(blk, h, taps));
    h = blk.rms_norm("ffn_norm", x, p.eps);
    x = x + (experts ? expert_layer(blk, i, h, p, *experts) : gated_ffn(blk, h, p.d_ff, Activation::kSilu));
  }
  // The last norm, by any of its names in files.
  x = net.rms_norm(net.has_weight("output_norm.weight") ? "output_norm" : "token_embd_norm", net.output_rows(x), first.eps);
  return net.unembed("output", x, n_vocab);
}

}  // namespace skald
