// Shared by codecs of formats in blocks.
#pragma once

#include <cstdint>
#include <string_view>

#include "tensor/format.h"

namespace skald {

inline constexpr int kSuperBlock = 256;  // elements of a block of the formats *_k, iq* (but iq4_nl) and tq*

/// Returns a format that is only decoded: `decode_one` gives the Block::kSize values of a block, `set_scale` is
/// Format::set_scales of one block.
template <class Block, void (*decode_one)(const Block&, float*), void (*set_scale)(Block&, float)>
constexpr Format decoded_format(std::string_view name) {
  return {.name = name,
          .id = Block::kId,
          .block = Block::kSize,
          .block_bytes = sizeof(Block),
          .decode =
              [](const void* src, float* dst, int64_t n) {
                const auto* block = static_cast<const Block*>(src);
                for (int64_t i = 0; i < n; i += Block::kSize) decode_one(*block++, dst + i);
              },
          .encode = nullptr,
          .set_scales =
              [](void* blocks, int64_t n, float largest) {
                auto* block = static_cast<Block*>(blocks);
                for (int64_t i = 0; i < n; i += Block::kSize) set_scale(*block++, largest);
              }};
}

}  // namespace skald
