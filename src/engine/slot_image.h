// SlotImage: what a place ran last, outside the engine: tokens, and the records of the pages of their beginning.
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
  std::string scope = {};  // Request::scope, behind what it begins with for its owner
  bool generated = false;  // Request::reuse_generated
  std::vector<TokenId> tokens = {};
  std::vector<Record> records = {};  // as DiskTier::find() orders them

  /// The first tokens, whose pages there are.
  int64_t n_pages() const { return records.empty() ? 0 : records.back().piece.page + 1; }
};

/// A file's bytes: whose it is (root_key of the owner), what is in it, and a checksum of all.
std::vector<std::byte> slot_file(const SlotImage& image, const PageKey& root);
/// Throws kBadFile for what is no such file, damaged, or of another owner, another model or other options.
SlotImage read_slot_file(std::span<const std::byte> file, const PageKey& root);

}  // namespace skald
