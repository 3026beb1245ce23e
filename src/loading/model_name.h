// The names that people know models by.
#pragma once

#include <string>

namespace skald {

/// Gives the name of the model whose file has this stem: "x" of "x" and of "x-00001-of-00003"; empty for all other shards.
std::string name_of_stem(const std::string& stem);

/// Gives the name that people know a file or folder by: the stem of the file, the name of the folder, or the repository of a
/// folder in the Hugging Face cache. Empty for an empty path.
std::string name_of_path(const std::string& path);

}  // namespace skald
