#include "cli/flags/synth.h"

#include "tools/synth/model_shape.h"

namespace skald {

void SynthFlags::declare(Flags& flags, const std::string& type_help) {
  flags.group("Made-up models");
  flags.add("--shape", spec.shape, ("random weights of a real shape: " + known_shapes()).c_str(), "NAME");
  flags.offer(shape_names());
  flags.add("--type", spec.type,
            (type_help + ": f32, f16, bf16 or a quantised type of GGUF files, as q8_0 and q4_k").c_str(), "TYPE");
  flags.add("--layers", spec.n_layers, "only the first N layers of --shape; 0: all");
}

std::string SynthFlags::known_shapes() {
  std::string names;
  for (const std::string& name : shape_names()) names += (names.empty() ? "" : ", ") + name;
  return names;
}

}  // namespace skald
