#include "tools/doctor/display_makers.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/system_files.h"

namespace skald {
namespace {

struct Maker {
  const char *id, *name;
};
constexpr std::array kMakers = {Maker{"0x10de", "NVIDIA"}, Maker{"0x1002", "AMD"}, Maker{"0x8086", "Intel"}};

}  // namespace

std::vector<std::string> display_makers(const std::string& root) {
  std::vector<std::string> out;
  std::error_code none;
  for (const auto& device : std::filesystem::directory_iterator(root + "/sys/bus/pci/devices", none)) {
    const std::string folder = device.path().string();
    if (!first_line_of(folder + "/class").starts_with("0x03")) continue;  // displays and 3D controllers
    const auto* const maker = std::ranges::find(kMakers, first_line_of(folder + "/vendor"), &Maker::id);
    if (maker != kMakers.end() && !std::ranges::count(out, maker->name)) out.emplace_back(maker->name);
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace skald
