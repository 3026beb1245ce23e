// Texts that become tokens.
#pragma once

#include <string_view>

namespace [[gnu::visibility("default")]] skald {

/// A piece of a text. Control tokens are found in what somebody trusted wrote alone.
struct TextPiece {
  std::string_view text;
  bool trusted = true;
};

struct EncodeOptions {
  bool add_special = true;    // BOS and EOS as the vocabulary asks
  bool parse_special = true;  // "<s>" in the text is the token; otherwise ordinary text
};

}  // namespace gnu::visibility("default")]]skald
