// Vocabularies made by hand, as the metadata of a GGUF file.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/meta.h"
#include "text/byte_unicode.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

namespace skald::test {

struct TinyPiece {
  std::string text;
  PieceKind kind = PieceKind::kNormal;
  float score = 0;
};

inline Meta vocab_meta(const std::string& model, const std::vector<TinyPiece>& pieces) {
  std::vector<std::string> texts;
  std::vector<int32_t> kinds;
  std::vector<float> scores;
  for (const TinyPiece& p : pieces) {
    texts.push_back(p.text);
    kinds.push_back(static_cast<int32_t>(p.kind));
    scores.push_back(p.score);
  }
  Meta meta;
  meta.set("tokenizer.ggml.model", model);
  meta.set("tokenizer.ggml.tokens", MetaArray{texts});
  meta.set("tokenizer.ggml.token_type", MetaArray{kinds});
  if (model == "llama" || model == "t5") meta.set("tokenizer.ggml.scores", MetaArray{scores});
  return meta;
}

/// Byte-level BPE: the 256 bytes (ids 0 to 255), the merges' pieces, then `more`.
inline Meta bpe_meta(const std::string& pre, const std::vector<std::pair<std::string, std::string>>& merges,
                     const std::vector<TinyPiece>& more = {}) {
  std::vector<TinyPiece> pieces;
  for (int b = 0; b < 256; ++b) append_utf8(pieces.emplace_back().text, byte_to_char(static_cast<uint8_t>(b)));
  std::vector<std::string> lines;
  for (const auto& [left, right] : merges) {
    pieces.push_back({left + right});
    lines.push_back(left + " " + right);
  }
  pieces.insert(pieces.end(), more.begin(), more.end());
  Meta meta = vocab_meta("gpt2", pieces);
  meta.set("tokenizer.ggml.pre", pre);
  meta.set("tokenizer.ggml.merges", MetaArray{lines});
  return meta;
}

/// SentencePiece: <unk>, <s>, </s>, the 256 bytes (ids 3 to 258), then `more` (from 259).
inline Meta spm_meta(const std::vector<TinyPiece>& more) {
  std::vector<TinyPiece> pieces = {
      {"<unk>", PieceKind::kUnknown}, {"<s>", PieceKind::kControl}, {"</s>", PieceKind::kControl}};
  for (int b = 0; b < 256; ++b) {
    const std::string digits = "0123456789ABCDEF";
    pieces.push_back(
        {"<0x" + digits.substr(static_cast<size_t>(b / 16), 1) + digits.substr(static_cast<size_t>(b % 16), 1) + ">",
         PieceKind::kByte});
  }
  pieces.insert(pieces.end(), more.begin(), more.end());
  return vocab_meta("llama", pieces);
}

/// Unigram: <unk>, <s>, </s> as SentencePiece numbers them, then `more` (from 3); spaces are merged and put first.
inline Meta unigram_meta(const std::vector<TinyPiece>& more) {
  std::vector<TinyPiece> pieces = {
      {"<unk>", PieceKind::kUnknown}, {"<s>", PieceKind::kControl}, {"</s>", PieceKind::kControl}};
  pieces.insert(pieces.end(), more.begin(), more.end());
  Meta meta = vocab_meta("t5", pieces);
  meta.set("tokenizer.ggml.eos_token_id", uint32_t{2});
  meta.set("tokenizer.ggml.unknown_token_id", uint32_t{0});
  meta.set("tokenizer.ggml.add_space_prefix", true);
  meta.set("tokenizer.ggml.remove_extra_whitespaces", true);
  return meta;
}

/// WordPiece: [PAD], [UNK], [CLS], [SEP], then `more` (from 4).
inline Meta bert_meta(const std::vector<TinyPiece>& more) {
  std::vector<TinyPiece> pieces = {{"[PAD]", PieceKind::kControl},
                                   {"[UNK]", PieceKind::kControl},
                                   {"[CLS]", PieceKind::kControl},
                                   {"[SEP]", PieceKind::kControl}};
  pieces.insert(pieces.end(), more.begin(), more.end());
  Meta meta = vocab_meta("bert", pieces);
  meta.set("tokenizer.ggml.unknown_token_id", uint32_t{1});
  meta.set("tokenizer.ggml.cls_token_id", uint32_t{2});
  meta.set("tokenizer.ggml.seperator_token_id", uint32_t{3});
  return meta;
}

/// The pieces of an encoded text, for messages that can be read.
inline std::vector<std::string> pieces_of(const Tokenizer& tokenizer, std::string_view text, EncodeOptions options = {}) {
  std::vector<std::string> out;
  for (TokenId id : tokenizer.encode(text, options)) out.push_back(tokenizer.vocab().pieces[static_cast<size_t>(id)]);
  return out;
}

}  // namespace skald::test
