#include "models/parts/qwen_hybrid.h"

#include <optional>

#include "base/error.h"
#include "models/parts/decoder.h"
#include "models/parts/delta_net.h"
#include "models/parts/ffn.h"
#include "models/parts/moe.h"

namespace skald {
namespace {

struct Experts {
  MoeParams moe;
  int64_t d_shared;
};

std::optional<Experts> read_experts(const Net& net, const MetaView& m, const DecoderParams& p) {
  if (m.i64("expert_count", 0) == 0) return {};
  MoeParams moe = read_moe(net, m, p);
  moe.routing = Routing::kSoftmax;
  moe.normalise = true;
  return Experts{moe, shared_width(net, m, p)};
}

}  // namespace

Tensor qwen_hybrid_decoder(Net& net, const MetaView& m, bool tiled) {
  m.has("rope.dimension_sections");  // of M-RoPE, which is RoPE where a token has one position in all dimensions
  const DecoderParams p = read_decoder(m);
  if (p.d_v != p.d_k)
    fail(Errc::kBadFile, "key {}: want {} as of queries, file has {}", m.full("attention.value_length"), p.d_k, p.d_v);
  const std::optional<Experts> experts = read_experts(net, m, p);
  const DeltaNetParams linear = read_delta_net(m, p.eps, tiled);
  const std::vector<bool> recurrent = read_recurrent_layers(m, p.n_layers);
  const auto is_recurrent = [&](int64_t i) { return i < p.n_layers && recurrent[static_cast<size_t>(i)]; };
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  return decoder(net, p, [&](Net& blk, int64_t i, Tensor x) {
    Tensor h = blk.rms_norm("attn_norm", x, p.eps);
    x = x + (is_recurrent(i) ? delta_net(blk, h, linear) : query_gated_attention(blk, h, p, rope));
    h = blk.rms_norm("post_attention_norm", x, p.eps);
    return x + (experts ? moe_ffn(blk, h, experts->moe) + scaled_shared_ffn(blk, h, experts->d_shared)
                        : gated_ffn(blk, h, p.d_ff, Activation::kSilu));
  });
}

}  // namespace skald
