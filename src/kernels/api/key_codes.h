// KeyCodes: keys of a full page as codes, with a scale and a least number for each component of the page (KIVI, Liu
// et al., arXiv 2402.02750). Components that are large in all keys then take nothing from the others.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/api/kv_page.h"

namespace skald {

enum class KeyCodes : uint8_t {
  kNone,
  kBytes,    // -127 to 127: least + (code + 127) * scale
  kNibbles,  // 0 to 15: least + code * scale; 32 in 16 bytes, the first 16 of them in the low halves
};
inline constexpr size_t kKeyCodes = 3;
/// Components of a head that can have codes.
inline constexpr int64_t kMostCodedColumns = 4096;

/// Codes as kernels take them: of a key, or of a component.
struct BlockCodeByte {
  static constexpr int kSize = 1;  // elements per block
  static constexpr int kLowest = -127, kSteps = 254;
  int8_t x;
};
struct BlockCodeNibbles {
  static constexpr int kSize = 32;
  static constexpr int kLowest = 0, kSteps = 15;
  uint8_t q[kSize / 2];
};

/// A page of one head: the codes (kPageKeys, columns) or (columns, kPageKeys), then the numbers: f16 (2, columns), the
/// scales and the least numbers.
struct CodedPage {
  KeyCodes kind;
  int64_t d;  // components
  KeyOrder order = KeyOrder::kRows;

  /// Filled up to whole blocks of 32, with codes and numbers that mean 0.
  constexpr int64_t columns() const { return (d + 31) / 32 * 32; }
  /// Bytes of a key's codes, or of a component's.
  constexpr int64_t stride() const {
    const int64_t codes = order == KeyOrder::kRows ? columns() : kPageKeys;
    return kind == KeyCodes::kNibbles ? codes / 2 : codes;
  }
  /// Bytes from the page's start to its numbers.
  constexpr int64_t numbers() const { return (order == KeyOrder::kRows ? kPageKeys : columns()) * stride(); }
  constexpr int64_t bytes() const { return numbers() + 2 * columns() * int64_t{sizeof(uint16_t)}; }
  /// Of a component of a key, with its share of the page's numbers.
  static constexpr double bytes_per_number(KeyCodes kind) {
    return (kind == KeyCodes::kNibbles ? 0.5 : 1.0) + 2 * double{sizeof(uint16_t)} / kPageKeys;
  }
};

/// A page's keys become codes: of each component the least number, which f16 holds, and the range in equal steps, as f16
/// from above. The scale of a component that is not finite in all keys is not a number: rounding hides nothing.
struct StoreCodesArgs {
  const std::byte* keys;  // f16 (kPageKeys, d)
  int64_t k_stride;       // bytes
  int64_t d;
  KeyOrder order;
  std::byte* page;  // CodedPage
};

/// Queries that meet codes as keys would meet the queries: score = folded . code + bias.
struct FoldQueriesArgs {
  const float* q;    // (group, columns), 0 from d on
  int64_t q_stride;  // floats, of `folded` too
  int64_t group;
  int64_t d;
  const std::byte* page;
  float* folded;  // (group, columns)
  float* bias;    // (group)
};

/// A page's keys as floats.
struct UnpackCodesArgs {
  const std::byte* page;
  int64_t d;
  KeyOrder order;
  float* panels;  // (kPageKeys / kPanel, d, kPanel)
};

using StoreCodesFn = void (*)(const StoreCodesArgs&) noexcept;
using FoldQueriesFn = void (*)(const FoldQueriesArgs&) noexcept;
using UnpackCodesFn = void (*)(const UnpackCodesArgs&) noexcept;

}  // namespace skald
