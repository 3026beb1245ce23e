// WordPiece: pieces that go on a word begin with "##" there; in GGUF, those that begin one begin with U+2581.
#include "base/error.h"
#include "convert/tokenizers/json_checks.h"
#include "convert/tokenizers/json_kinds.h"
#include "convert/tokenizers/json_vocab.h"
#include "text/sentence_piece.h"

namespace skald {

TokenizerParts word_piece(const TokenizerJson& json, PieceTable pieces) {
  constexpr std::string_view kInside = "##";
  check_steps_known(json.normalizer);
  check_steps_known(json.pre_tokenizer);
  check_no_affixes(json.model, kInside);
  if (!json.normalizer.bert || !json.pre_tokenizer.bert)
    fail(Errc::kUnsupported, "GGUF's WordPiece is that of BERT: want BertNormalizer and BertPreTokenizer");
  add_pieces(json.model.at("vocab"), pieces);
  TokenizerParts out{.model = "bert", .pieces = std::move(pieces)};
  const std::string unknown = json.model.text("unk_token", "[UNK]");
  for (int64_t id = 0; id < out.pieces.size(); ++id) {
    const Piece* found = out.pieces.find(id);
    if (!found) continue;
    Piece piece = *found;
    if (piece.text == unknown) {
      piece.kind = PieceKind::kControl;
    } else {
      piece.text =
          piece.text.starts_with(kInside) ? piece.text.substr(kInside.size()) : std::string(kPieceSpace) + piece.text;
    }
    out.pieces.replace(id, std::move(piece));
  }
  out.lowercase = json.normalizer.lowercase;
  out.strip_accents = json.normalizer.strip_accents.value_or(json.normalizer.lowercase);
  return out;
}

}  // namespace skald
