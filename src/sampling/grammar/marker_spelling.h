// MarkerSpelling: how the markers of chat formats stand in the texts that grammars take. A control token is a byte that
// UTF-8 has not, and its name: so a grammar asks for the token itself, and text takes none.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "skald/types.h"
#include "text/special_matcher.h"
#include "text/vocab.h"

namespace skald {

/// In front of a control token's name. No text has it: tokens with this byte are never part of one.
inline constexpr char kControlByte = '\xff';

class MarkerSpelling {
 public:
  /// There are no control tokens: markers are text.
  MarkerSpelling() = default;
  /// `vocab` must outlive it.
  explicit MarkerSpelling(const Vocab& vocab);

  struct Spelled {
    std::string text;   // up to an end token, if there is one
    bool ends = false;  // there is
  };
  /// `marker` as the template's own text becomes tokens.
  Spelled spelled(std::string_view marker) const;
  /// The control token that `text` begins with, after kControlByte.
  std::optional<TokenId> control_at(std::string_view text) const;

 private:
  bool is_control(TokenId id) const { return vocab_->kind(id) == PieceKind::kControl; }

  const Vocab* vocab_ = nullptr;
  SpecialMatcher specials_;  // those that text is cut at
};

/// Text with the control bytes taken out: what is shown of it.
std::string shown(std::string_view spelled);

}  // namespace skald
