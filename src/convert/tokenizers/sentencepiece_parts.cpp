#include "convert/tokenizers/sentencepiece_parts.h"

#include "base/error.h"
#include "base/log.h"
#include "convert/tokenizers/sentencepiece_model.h"
#include "text/sentence_piece.h"

namespace skald {
namespace {

void check_supported(const SentencePieceModel& model) {
  using Type = SentencePieceModel::Type;
  if (model.type != Type::kBpe && model.type != Type::kUnigram)
    fail(Errc::kUnsupported, "trainer_spec: model_type {}; known are 1 (unigram) and 2 (BPE)", static_cast<int>(model.type));
  if (model.whitespace_as_suffix || !model.escape_whitespaces)
    fail(Errc::kUnsupported, "GGUF has no tokenizer with spaces after words, or spaces that pieces spell as spaces");
}

// GGUF looks for pieces that a user defined in the text itself, before BPE's. Spaces are found there too, but for the one
// that is put before the text. Where there is one, pieces of spaces come from merging, for which their score is the highest.
Piece as_in_gguf(Piece piece, const SentencePieceModel& model) {
  if (model.type != SentencePieceModel::Type::kBpe || piece.kind != PieceKind::kUserDefined) return piece;
  const bool spaces_only = replaced(piece.text, kPieceSpace, "").empty();
  if (spaces_only && model.add_dummy_prefix) {
    piece.kind = PieceKind::kNormal;
  } else {
    piece.text = replaced(piece.text, kPieceSpace, " ");
  }
  return piece;
}

}  // namespace

TokenizerParts sentencepiece_parts(std::string_view bytes, PieceTable pieces) {
  SentencePieceModel model = SentencePieceModel::parse(bytes);
  check_supported(model);
  const bool bpe = model.type == SentencePieceModel::Type::kBpe;
  for (size_t id = 0; id < model.pieces.size(); ++id) {
    if (model.pieces[id].text.find('\0') != std::string::npos) continue;  // it would end the piece for readers in C
    pieces.add(static_cast<int64_t>(id), as_in_gguf(std::move(model.pieces[id]), model));
  }
  TokenizerParts out{.model = bpe ? "llama" : "t5", .pieces = std::move(pieces), .has_scores = true};
  out.add_space_prefix = model.add_dummy_prefix;
  out.specials = {.bos = model.bos, .eos = model.eos, .unk = model.unk, .pad = model.pad, .add_bos = true};
  if (!bpe) {
    out.remove_extra_whitespaces = model.remove_extra_whitespaces;
    out.charsmap = checked_charsmap(std::move(model.charsmap));
  } else if (model.remove_extra_whitespaces || !model.charsmap.empty()) {
    log(LogLevel::kWarn, "normalizer_spec: GGUF's BPE tokenizers neither replace characters nor remove spaces");
  }
  return out;
}

}  // namespace skald
