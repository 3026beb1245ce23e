// Names of devices, as --device takes them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace skald {

/// The backend and which of its devices: "cuda" is the first one, as "cuda0" and llama.cpp's "CUDA0" are.
struct DeviceName {
  std::string backend;  // in small letters
  size_t number = 0;
  bool numbered = false;  // the number was said

  bool same_device(const DeviceName& other) const { return backend == other.backend && number == other.number; }
};

DeviceName device_name(std::string_view text);

}  // namespace skald
