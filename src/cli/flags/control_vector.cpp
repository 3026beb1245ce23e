#include "cli/flags/control_vector.h"

#include <fmt/format.h>

#include "cli/flags/values.h"

namespace skald {
namespace {

constexpr const char *kFiles = "--control-vector", *kScaled = "--control-vector-scaled",
                     *kLayers = "--control-vector-layer-range";

}  // namespace

void ControlVectorFlags::declare(Flags& flags) {
  flags.group("Control vectors");
  flags.add(kFiles, files, "steer the model's texts by the directions of a file, which are added after its layers",
            "FILE,...");
  flags.add(kScaled, scaled, "the same times a number, which may be below 0", "FILE:SCALE,...");
  flags.add_pair(kLayers, first, last, "only after the layers from START to END, both among them; default: all",
                 "START END");
}

std::vector<ControlVector> ControlVectorFlags::vectors() const {
  std::vector<ControlVector> out;
  for (const std::string& list : files)
    for (std::string& file : comma_list(kFiles, list)) out.push_back({.path = std::move(file)});
  for (const std::string& list : scaled)
    for (const std::string& item : comma_list(kScaled, list)) {
      auto [file, scale] = scaled_file(kScaled, item);
      out.push_back({std::move(file), scale});
    }
  return out;
}

LayerRange ControlVectorFlags::layers() const {
  if ((first != 0 || last != 0) && files.empty() && scaled.empty())
    throw UsageError(fmt::format("{} goes with {}", kLayers, kFiles));
  return {first, last};
}

}  // namespace skald
