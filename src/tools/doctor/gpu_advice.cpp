#include <algorithm>

#include "tools/doctor/advice.h"

namespace skald {

void advise_gpu(const MachineFacts& facts, std::vector<Advice>& out) {
  if (!std::ranges::count(facts.display_makers, "NVIDIA")) return;
  const auto cuda = std::ranges::find_if(facts.devices, [](const DeviceLine& d) { return d.device.starts_with("cuda"); });
  if (cuda == facts.devices.end())
    out.push_back({"GPU", "There is a card of NVIDIA, and this program was built without CUDA.",
                   "Build it by make cuda: docs/gpu.md."});
  else if (!cuda->missing.empty())
    out.push_back({"GPU", "There is a card of NVIDIA that cannot be used: " + cuda->missing + ".",
                   "Install NVIDIA's driver, of the version that the message names or newer."});
  else
    out.push_back({"GPU", "There is a card of NVIDIA, and models run on the CPU unless a flag says so.",
                   "Run layers on it by -ngl auto."});
}

}  // namespace skald
