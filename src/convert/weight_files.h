// Which files of a folder hold the weights, and the files that are there instead where none do.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "convert/hf_directory.h"

namespace skald {

struct WeightFiles {
  std::set<std::string> names;
  std::map<std::string, std::string, std::less<>> file_of;  // which file has a tensor, as the index says; empty without one
};

/// Returns the safetensors files: the single one, or those of the index. Throws Error that names the content of the folder
/// instead: an adapter, weights in other formats, shards without an index, an index without all shards.
WeightFiles weight_files(const HfDirectory& dir);

}  // namespace skald
