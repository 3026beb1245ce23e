// Maps of characters made by hand, as tokenizer.ggml.precompiled_charsmap holds them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/meta.h"

namespace skald::test {

inline std::string little_endian(uint32_t value) {
  std::string out;
  for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(value >> shift));
  return out;
}

/// A double array with a block of 256 units for the children of each node of the trie, then the replacements.
inline std::string charsmap_bytes(const std::map<std::string, std::string>& replacements) {
  std::vector<uint32_t> units = {0};
  std::string results;
  std::map<std::string, uint32_t> blocks;  // by prefix: where its children are
  const auto open_block = [&](const std::string& prefix, uint32_t node) {
    const auto block = static_cast<uint32_t>((units.size() + 255) / 256 * 256);
    units.resize(block + 256);
    units[node] |= (node ^ block) << 10;
    blocks[prefix] = block;
  };
  open_block("", 0);
  for (const auto& [key, result] : replacements) {
    for (size_t length = 1; length <= key.size(); ++length) {
      const std::string prefix = key.substr(0, length);
      if (blocks.contains(prefix)) continue;
      const auto label = static_cast<uint8_t>(prefix.back());
      const uint32_t node = blocks[key.substr(0, length - 1)] ^ label;
      units[node] = label;
      open_block(prefix, node);
    }
    const auto block = blocks[key];
    units[blocks[key.substr(0, key.size() - 1)] ^ static_cast<uint8_t>(key.back())] |= 1u << 8;
    units[block] = 1u << 31 | static_cast<uint32_t>(results.size());
    results += result + '\0';
  }
  std::string out = little_endian(static_cast<uint32_t>(units.size() * 4));
  for (uint32_t unit : units) out += little_endian(unit);
  return out + results;
}

inline MetaArray byte_array(const std::string& bytes) { return {std::vector<uint8_t>(bytes.begin(), bytes.end())}; }

}  // namespace skald::test
