// Granite with a window in some layers, heads with a logit of their own that takes weight and gives nothing, and maybe
// layers without RoPE. IBM, 2026.
#include "models/family.h"
#include "models/parts/granite.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  GraniteParams p = read_granite(net, m);
  const int64_t n_layers = p.layers.front().n_layers;
  p.sink_logits = true;
  p.windows = read_windows(m, n_layers, 4);
  constexpr std::string_view kRopes = "attention.rope_pattern";
  if (m.has(kRopes)) p.rotated = read_layer_flags(m, kRopes, n_layers);
  return granite_decoder(net, p);
}

extern const Family family_granite_swa;
const Family family_granite_swa{
    .arch = "granite_swa", .build = build, .covers = "Granite with windows", .verified = "GraniteSWAForCausalLM"};

}  // namespace skald
