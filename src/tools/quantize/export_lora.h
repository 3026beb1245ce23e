// Model files with adapters (LoRA) merged into their weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "skald/lora.h"
#include "skald/types.h"

namespace skald {

struct ExportJob {
  std::string model = {};  // GGUF; of a split file, any shard
  std::string out = {};
  std::vector<LoraFile> adapters = {};  // changes of one weight add up
  std::string type = {};                // of the tensors that change; empty: the type that each has
  int n_threads = 0;                    // 0: one per usable CPU
};

struct ExportReport {
  int64_t tensors = 0, changed = 0, bytes = 0;
};

/// Writes the model with its weights changed, a piece of a tensor at a time; the other tensors are copied. A token table
/// that is the output matrix too becomes two, where an adapter changes one of these. Throws kBadInput for a type that cannot
/// be made, and for a scale that is not finite; kUnsupported, naming the tensor, for a type of the file that cannot be made,
/// and for an adapter that acts from certain tokens on, which no weights do. Throws as load_adapter, give_encoded and
/// GgufWriter::write; after any exception `out` is as it was before.
ExportReport export_lora(const ExportJob& job, const OnProgress& on_progress);

}  // namespace skald
