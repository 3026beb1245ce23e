// Shared by SentencePiece's tokenizers, BPE and unigram: how pieces spell spaces and bytes.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/vocab.h"

namespace skald {

inline constexpr std::string_view kPieceSpace = "\xE2\x96\x81";     // U+2581, how pieces spell a space
inline constexpr std::string_view kUnknownText = " \xE2\x81\x87 ";  // how an unknown token shows in a decoded text

std::string replaced(std::string_view text, std::string_view from, std::string_view to);

/// Returns the bytes that each piece stands for; of special pieces their name.
std::vector<std::string> sentence_piece_bytes(const Vocab& vocab);

/// Returns the end of the word at `begin` of a text with spaces as pieces spell them: its spaces, then everything before the
/// next.
size_t word_end(std::string_view text, size_t begin);

/// Returns the bytes of the character at `at` (< size); a broken byte counts as one.
size_t char_length(std::string_view text, size_t at);

/// Writes text that no piece stands for.
class UnknownText {
 public:
  explicit UnknownText(const Vocab& vocab);

  /// Returns true when the vocabulary has pieces for all 256 bytes.
  bool has_bytes() const { return has_bytes_; }
  /// Appends the tokens of the bytes; without byte pieces, one unknown token stands for a row of unknown characters.
  void put(std::string_view bytes, std::vector<TokenId>& out) const;

 private:
  std::array<TokenId, 256> byte_ids_{};
  bool has_bytes_ = true;
  std::optional<TokenId> unknown_;
};

}  // namespace skald
