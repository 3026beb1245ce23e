// A number that tells texts apart (http://www.isthe.com/chongo/tech/comp/fnv).
#pragma once

#include <cstdint>
#include <string_view>

namespace skald {

constexpr uint64_t fnv1a(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace skald
