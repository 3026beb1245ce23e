// SentencePieceModel: the content of a SentencePiece file (tokenizer.model, spiece.model).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "convert/tokenizers/piece_table.h"

namespace skald {

/// ModelProto of sentencepiece_model.proto; the defaults are the schema's.
struct SentencePieceModel {
  enum class Type { kUnigram = 1, kBpe = 2, kWord = 3, kChar = 4 };

  std::vector<Piece> pieces;
  Type type = Type::kUnigram;
  int64_t unk = 0, bos = 1, eos = 2, pad = -1;  // -1: none
  std::string charsmap;
  bool add_dummy_prefix = true, remove_extra_whitespaces = true, escape_whitespaces = true, whitespace_as_suffix = false;

  /// Throws kBadFile for bytes that are no such message, unknown kinds and types, and a message without pieces.
  static SentencePieceModel parse(std::string_view bytes);
};

}  // namespace skald
