#include "tools/synth/synth_vocab.h"

#include <fmt/format.h>

#include "base/error.h"
#include "text/vocab.h"

namespace skald {
namespace {

constexpr const char* kSpace = "\u2581";  // as SentencePiece writes it

struct Pieces {
  std::vector<std::string> text;
  std::vector<int32_t> kinds;
  std::vector<float> scores;

  void add(std::string piece, PieceKind kind) {
    scores.push_back(-static_cast<float>(text.size()));
    text.push_back(std::move(piece));
    kinds.push_back(static_cast<int32_t>(kind));
  }
};

Pieces pieces(int64_t n) {
  Pieces out;
  out.add("<unk>", PieceKind::kUnknown);
  out.add("<s>", PieceKind::kControl);
  out.add("</s>", PieceKind::kControl);
  for (int byte = 0; byte < 256; ++byte) out.add(fmt::format("<0x{:02X}>", byte), PieceKind::kByte);
  out.add(kSpace, PieceKind::kNormal);
  for (int64_t i = kLeastSynthVocab; i < n; ++i) out.add(fmt::format("{}w{}", kSpace, i), PieceKind::kNormal);
  return out;
}

}  // namespace

void add_synth_vocab(Meta& meta, int64_t n) {
  SKALD_ASSERT(n >= kLeastSynthVocab);
  Pieces p = pieces(n);
  meta.set("tokenizer.ggml.model", std::string("llama"));
  meta.set("tokenizer.ggml.pre", std::string("default"));
  meta.set("tokenizer.ggml.tokens", MetaArray{std::move(p.text)});
  meta.set("tokenizer.ggml.scores", MetaArray{std::move(p.scores)});
  meta.set("tokenizer.ggml.token_type", MetaArray{std::move(p.kinds)});
  meta.set("tokenizer.ggml.unknown_token_id", uint32_t{0});
  meta.set("tokenizer.ggml.bos_token_id", uint32_t{1});
  meta.set("tokenizer.ggml.eos_token_id", uint32_t{2});
}

}  // namespace skald
