// Where tests find their files: copied golden data, and the folder of others' files beside the checkout, if it is there.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace skald::test {

/// Of the checkout.
extern const char* const kSourceDir;

inline std::filesystem::path data_dir() {
  const char* const elsewhere = std::getenv("SKALD_TEST_DATA");  // where there is no checkout
  return elsewhere ? std::filesystem::path(elsewhere) : std::filesystem::path(kSourceDir) / "tests/data";
}

/// Real vocabularies and the trained checkpoint; tests skip where it is absent.
inline std::filesystem::path shared_dir() { return std::filesystem::path(kSourceDir).parent_path() / "shared"; }

}  // namespace skald::test
