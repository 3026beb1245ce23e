// Where tests find their files: copied golden data, and the folder of others' files beside the checkout, if it is there.
#pragma once

#include <filesystem>
#include <string>

namespace skald::test {

inline std::filesystem::path data_dir() { return std::filesystem::path(SKALD_SOURCE_DIR) / "tests/data"; }

/// Real vocabularies and the trained checkpoint; tests skip where it is absent.
inline std::filesystem::path shared_dir() { return std::filesystem::path(SKALD_SOURCE_DIR).parent_path() / "shared"; }

}  // namespace skald::test
