// Unigram: pieces with the logarithms of their probabilities, in the order of their ids.
#include <cmath>

#include "base/error.h"
#include "convert/tokenizers/json_checks.h"
#include "convert/tokenizers/json_kinds.h"
#include "text/byte_piece.h"

namespace skald {
namespace {

Piece read_piece(const JsonNode& pair) {
  if (pair.size() != 2) pair.want("a piece and its score");
  Piece out{.text = pair.at(size_t{0}).text(), .score = static_cast<float>(pair.at(size_t{1}).number())};
  if (!std::isfinite(out.score)) pair.at(size_t{1}).want("a smaller number");
  return out;
}

}  // namespace

TokenizerParts unigram(const TokenizerJson& json, PieceTable pieces) {
  check_steps_known(json.normalizer);
  check_steps_known(json.pre_tokenizer);
  if (!json.pre_tokenizer.metaspace)
    fail(Errc::kUnsupported, "pre_tokenizer: GGUF has no unigram tokenizer without Metaspace");
  if (!json.pre_tokenizer.patterns.empty())
    fail(Errc::kUnsupported, "pre_tokenizer: GGUF has no unigram tokenizer that cuts texts by {}",
         json.pre_tokenizer.patterns[0]);
  const JsonNode vocab = json.model.at("vocab");
  const bool bytes = json.model.flag("byte_fallback", false);
  const auto unknown = json.model.find("unk_id");
  const int64_t unk = unknown ? unknown->integer() : -1;
  for (size_t i = 0; i < vocab.size(); ++i) {
    Piece piece = read_piece(vocab.at(i));
    if (static_cast<int64_t>(i) == unk) {
      piece.kind = PieceKind::kUnknown;
    } else if (bytes && byte_of_piece(piece.text)) {
      piece.kind = PieceKind::kByte;
    }
    pieces.add(static_cast<int64_t>(i), std::move(piece));
  }
  TokenizerParts out{.model = "t5", .pieces = std::move(pieces), .has_scores = true};
  out.add_space_prefix = json.pre_tokenizer.space_first || json.normalizer.space_first;
  out.remove_extra_whitespaces = json.normalizer.spaces_merged || json.pre_tokenizer.spaces_merged;
  out.charsmap = checked_charsmap(json.normalizer.charsmap);
  return out;
}

}  // namespace skald
