// LoraFile: an adapter by the path of its file, and how much of its change counts.
#pragma once

#include <string>

#pragma GCC visibility push(default)
namespace skald {

struct LoraFile {
  std::string path = {};
  float scale = 1;  // finite; 0: none of it
};

}  // namespace skald
#pragma GCC visibility pop
