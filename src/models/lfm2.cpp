// LFM2, LFM2.5: gated short convolutions in most layers, attention with norms on heads in the others. Liquid AI, arXiv
// 2511.23404.
#include "models/parts/lfm2.h"
#include "models/family.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) { return lfm2_decoder(net, m, {}); }

extern const Family family_lfm2;
const Family family_lfm2{.arch = "lfm2", .build = build, .covers = "LFM2, LFM2.5", .verified = "Lfm2ForCausalLM"};

}  // namespace skald
