#include "convert/tokenizers/json_kinds.h"

#include "base/error.h"
#include "io/printable.h"

namespace skald {

bool is_byte_level(const TokenizerJson& json) { return json.type == "BPE" && json.pre_tokenizer.byte_level; }

TokenizerParts read_tokenizer_json(const TokenizerJson& json, PieceTable pieces, const PreTokenizerChoice& pre) {
  if (is_byte_level(json)) return byte_level_bpe(json, std::move(pieces), pre);
  if (json.type == "BPE" && pre.model_type.starts_with("gemma4")) return listed_bpe(json, std::move(pieces));
  if (json.type == "BPE") return sentencepiece_bpe(json, std::move(pieces));
  if (json.type == "Unigram") return unigram(json, std::move(pieces));
  if (json.type == "WordPiece") return word_piece(json, std::move(pieces));
  fail(Errc::kUnsupported, "{}.type: no tokenizer {}; known are BPE, Unigram, WordPiece", json.model.name(),
       skald::quoted(json.type));
}

}  // namespace skald
