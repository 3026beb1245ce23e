// Nemotron-H: Mamba 2, attention without RoPE and feed-forwards, one of them in each layer. NVIDIA, arXiv 2504.03624.
#include "models/parts/nemotron_h.h"
#include "models/family.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) { return nemotron_h_decoder(net, m); }

extern const Family family_nemotron_h;
const Family family_nemotron_h{
    .arch = "nemotron_h", .build = build, .covers = "Nemotron-H, Nemotron Nano 2", .verified = "NemotronHForCausalLM"};

}  // namespace skald
