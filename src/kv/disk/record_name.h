// RecordName: what is kept on disk of a prompt's page, named by all that decides its bits.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "kernels/api/kv_page.h"
#include "skald/types.h"

namespace skald {

/// Names a prompt's first pages up to one: a sum of the names of those before it and of its tokens.
using PageKey = Sha256Sum;

/// Of no page yet. Equal for those who may share pages alone: `fingerprint` is all that decides a key's bits besides the
/// tokens, `scope` who they belong to. It is the key of a keyed hash, so that its text is nowhere to be read.
PageKey root_key(const Sha256Sum& fingerprint, std::string_view scope);
/// Of the next kPageKeys tokens.
PageKey next_key(const PageKey& before, std::span<const TokenId> tokens);
/// Of each full page of the tokens.
std::vector<PageKey> page_keys(const PageKey& root, std::span<const TokenId> tokens);

/// Whose part of a page's memory a record is: that of layers that keep all keys, that of a group with a window, or what is
/// only there after the page's last token (recurrent states, sums that a window cannot make again).
struct RecordPart {
  static constexpr int kPage = -1, kCheckpoint = -2;
  int number = kPage;  // or a group of the cache, from 0 on

  bool is_page() const { return number == kPage; }
  std::strong_ordering operator<=>(const RecordPart&) const = default;
};

struct RecordName {
  PageKey key = {};
  RecordPart part = {};

  std::strong_ordering operator<=>(const RecordName&) const = default;
};

struct RecordNameHash {
  size_t operator()(const RecordName& name) const {
    size_t hash = 0;  // a key is a hash already
    std::memcpy(&hash, name.key.data(), sizeof hash);
    return hash + static_cast<size_t>(name.part.number);
  }
};

/// 64 hexadecimal digits, and ".page", ".cut" or ".window<group>".
std::string file_name(const RecordName& name);
/// None for the names of other files.
std::optional<RecordName> record_named(std::string_view file);

}  // namespace skald
