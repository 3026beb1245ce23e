// PageOrigin: how the keys of a page were made. Two ways give keys of different bits (docs/design/independent-rows.md), so
// a sequence that takes over pages must know.
#pragma once

#include <cstdint>

#include "kernels/api/kv_page.h"

namespace skald {

/// How one step makes keys.
struct KeyOrigin {
  bool generated = false;  // row by row, rather than as part of a prompt
  uint32_t policy = 0;     // of sparse decoding, where generated; 0: dense
  bool draft = false;      // the keys of guesses, which are computed again
};

struct PageOrigin {
  uint64_t generated = 0;   // bit i: key i was
  uint64_t drafts = 0;      // likewise
  uint32_t policy = 0;      // of the generated keys
  bool mixed = false;       // they are of more than one policy
  bool after_drop = false;  // some key saw a past from which others had been dropped: no other sequence can have that

  /// Notes keys [from, to) of the page.
  constexpr void add(int64_t from, int64_t to, const KeyOrigin& origin) {
    generated = (generated & first(from)) | (origin.generated ? first(to) & ~first(from) : 0);
    drafts = (drafts & first(from)) | (origin.draft ? first(to) & ~first(from) : 0);
    if (!origin.generated) return;
    mixed = (generated & first(from)) && (mixed || policy != origin.policy);
    policy = origin.policy;
  }
  /// Bits of keys [0, n).
  static constexpr uint64_t first(int64_t n) { return n >= kPageKeys ? ~uint64_t{0} : (uint64_t{1} << n) - 1; }
  static_assert(kPageKeys == 64);
};

/// Which keys a sequence may take over.
struct ReusePolicy {
  enum class Keys : uint8_t {
    kPrompt,      // those of prompts only: the bits of a sequence that is computed as one prompt
    kSamePolicy,  // and generated ones of the policy: the bits of the text that they were generated for
    kAll,         // any that did not see a past with drops
  };
  Keys keys = Keys::kPrompt;
  uint32_t policy = 0;

  /// The first of a page's keys [0, n) that may not be taken; n when all may.
  int64_t taken(const PageOrigin& page, int64_t n) const;
};

}  // namespace skald
