// What the system says of the file system that a path is in, and of files.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

namespace skald {

/// Returns its type, as "ext4"; "" where the system does not say. The path is canonical. `root` is where /proc begins on
/// Linux; tests put files of their own there.
std::string file_system_of(const std::string& path, const std::string& root = "");

/// Returns when a file was changed, in nanoseconds since 1970.
int64_t changed_at(const struct stat& file);

}  // namespace skald
