// Texts that become tokens.
#pragma once

#include <string_view>

#pragma GCC visibility push(default)
namespace skald {

/// Holds a piece of a text. Control tokens are found in trusted pieces alone.
struct TextPiece {
  std::string_view text;
  bool trusted = true;
};

struct EncodeOptions {
  bool add_special = true;    // BOS and EOS as the vocabulary asks
  bool parse_special = true;  // "<s>" in the text is the token; otherwise ordinary text
};

}  // namespace skald
#pragma GCC visibility pop
