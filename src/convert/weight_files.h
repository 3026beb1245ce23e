// Which files of a folder hold the weights, and what is there instead where none do.
#pragma once

#include <set>
#include <string>

#include "convert/hf_directory.h"

namespace skald {

/// Names of safetensors files: the single one, or those of the index. Throws Error that says what the folder holds instead:
/// an adapter, weights in other formats, shards without an index, an index without all shards.
std::set<std::string> weight_files(const HfDirectory& dir);

}  // namespace skald
