#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/size_text.h"
#include "tools/doctor/advice.h"

namespace skald {
namespace {

constexpr int64_t kLittleRoom = int64_t{5} << 30;  // an 8B model in 4 bits takes as much

bool is_of_network(std::string_view file_system) {
  constexpr std::array<std::string_view, 8> kNames = {"nfs", "nfs4", "cifs",       "smb3",
                                                      "9p",  "ceph", "fuse.sshfs", "fuse.glusterfs"};
  return std::ranges::count(kNames, file_system) > 0;
}

}  // namespace

void advise_disk(const DiskFacts& disk, std::vector<Advice>& out) {
  const char* flag = disk.use == "models" ? "HF_HUB_CACHE" : "--prefix-cache-dir";
  if (!disk.writable)
    out.push_back({"disk", fmt::format("The folder of {}, {}, cannot be written to.", disk.use, disk.folder),
                   fmt::format("Allow it, or name another folder by {}.", flag)});
  else if (disk.free < kLittleRoom)
    out.push_back({"disk",
                   fmt::format("The folder of {}, {}, has room for {}.", disk.use, disk.folder, size_text(disk.free)),
                   fmt::format("Make room (skald list, skald rm), or name another folder by {}.", flag)});
  if (is_of_network(disk.file_system))
    out.push_back({"disk",
                   fmt::format("The folder of {}, {}, is on the network ({}): it is read slowly the first time.", disk.use,
                               disk.folder, disk.file_system),
                   fmt::format("Name a folder on a disk of this machine by {}.", flag)});
}

}  // namespace skald
