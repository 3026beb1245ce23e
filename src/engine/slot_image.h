// SlotImage: the last sequence of a slot, outside the engine: tokens, and the records of the pages of their beginning.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/disk_tier.h"

namespace skald {

struct SlotImage {
  struct Record {
    Piece piece;
    PageStore::Payload payload;
  };
  std::string scope = {};  // Request::scope, without the beginning that names its owner
  bool generated = false;  // Request::reuse_generated
  std::vector<TokenId> tokens = {};
  std::vector<Record> records = {};  // as DiskTier::find() orders them

  /// Returns the first tokens, whose pages there are.
  int64_t n_pages() const { return records.empty() ? 0 : records.back().piece.page + 1; }
};

/// Returns a file's bytes: the owner's root_key, the content, and a checksum of all.
std::vector<std::byte> slot_file(const SlotImage& image, const PageKey& root);
/// Throws kBadFile for a file that is no such one, damaged, or of another owner, another model or other options.
SlotImage read_slot_file(std::span<const std::byte> file, const PageKey& root);

}  // namespace skald
