// --override-kv as llama.cpp has it: several in one argument.
#pragma once

#include <string>
#include <vector>

namespace skald {

/// The overrides of all arguments, each as KEY=TYPE:VALUE. A comma ends a value only where another override follows, so that
/// texts may have commas.
std::vector<std::string> split_overrides(const std::vector<std::string>& arguments);

}  // namespace skald
