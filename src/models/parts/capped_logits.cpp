#include "models/parts/capped_logits.h"

#include "models/parts/hparams.h"

namespace skald {

Tensor capped_logits(Net& net, const MetaView& m, Tensor x, int64_t n_vocab) {
  constexpr std::string_view kCap = "final_logit_softcapping";
  const Tensor logits = net.unembed("output", x, n_vocab);
  return m.has(kCap) ? softcap(logits, read_positive(m, kCap)) : logits;
}

}  // namespace skald
