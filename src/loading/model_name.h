// The names that people know models by.
#pragma once

#include <string>

namespace skald {

/// Gives the name of the model whose file has this stem: "x" of "x" and of "x-00001-of-00003"; empty for all other shards.
std::string name_of_stem(const std::string& stem);

/// Gives the name of a file or folder for users: the file's stem, the folder's name, or its repository in the Hugging Face
/// cache. Empty for an empty path.
std::string name_of_path(const std::string& path);

}  // namespace skald
