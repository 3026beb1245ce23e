// The models and adapters of the cache, for people and programs.
#pragma once

#include <string>
#include <vector>

#include "hub/installed.h"

namespace skald {

std::string model_list_table(const std::vector<InstalledModel>& models);
std::string model_list_json(const std::vector<InstalledModel>& models);

}  // namespace skald
