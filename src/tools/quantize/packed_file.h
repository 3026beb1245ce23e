// Model files whose weights lie as matmuls want them: `skald pack`.
#pragma once

#include <cstdint>
#include <string>

#include "skald/types.h"

namespace skald {

struct PackedFile {
  int64_t packed = 0, tensors = 0;  // tensors in panels now, of all
  int64_t bytes = 0;                // of all tensors
};

/// Writes the model of the GGUF file `in` (any of its shards) to the one file `out`, with the weights of its matmuls in
/// panels (quant/panels.h). A weight that is read by rows too, as a table of embeddings that is also the output matrix, is
/// there twice. Each weight is packed while it is written. `on_progress` may throw to end it. Throws as the loader and
/// GgufWriter::write; after any exception `out` is as it was before.
PackedFile write_packed_file(const std::string& in, const std::string& out, const OnProgress& on_progress);

}  // namespace skald
