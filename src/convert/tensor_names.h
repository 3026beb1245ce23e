// Which tensors of a checkpoint become which of a GGUF file, by a family's tables.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/meta.h"
#include "convert/checkpoint.h"
#include "convert/hf_family.h"

namespace skald {

struct NamedTensor {
  std::string name;  // in the GGUF file
  LazyTensor data;
  Transform transform;  // that made it, or none
};

struct NamedTensors {
  std::vector<NamedTensor> tensors;
  std::vector<std::string> left_over;  // of the checkpoint: neither in a row of the tables nor ballast
  std::vector<std::string> not_text;   // ballast too: of pictures and sound
  std::vector<std::string> ahead;      // ballast too: of layers that predict further tokens
};

/// `tied`: the checkpoint's own output matrix, where there is one, is a copy that no graph reads. `described`: factors of
/// tensors, and ballast beside the family's.
NamedTensors name_tensors(const HfFamily& family, const Checkpoint& checkpoint, const MetaView& m, bool tied,
                          const Hyperparameters& described);

/// Returns the name that a tensor would have had in a checkpoint: "model.layers.0.mlp.up_proj.weight"; empty for one that no
/// table has. `m` has the numbers of layers.
std::string checkpoint_name(const HfFamily& family, std::string_view gguf_name, const MetaView& m);

}  // namespace skald
