#include "text/sentence_piece.h"

#include <algorithm>

#include "text/byte_piece.h"
#include "text/utf8.h"

namespace skald {

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t hit = std::min(text.find(from, at), text.size());
    out.append(text, at, hit - at);
    if (hit < text.size()) out.append(to);
    at = hit + from.size();
  }
  return out;
}

std::vector<std::string> sentence_piece_bytes(const Vocab& vocab) {
  std::vector<std::string> out;
  out.reserve(vocab.pieces.size());
  for (TokenId id = 0; id < vocab.size(); ++id) {
    const std::string& piece = vocab.pieces[static_cast<size_t>(id)];
    const auto byte = byte_of_piece(piece);
    if (byte && vocab.kind(id) == PieceKind::kByte) {
      out.emplace_back(1, static_cast<char>(*byte));
    } else {
      out.push_back(vocab.is_special(id) ? piece : replaced(piece, kPieceSpace, " "));
    }
  }
  return out;
}

size_t word_end(std::string_view text, size_t begin) {
  while (text.substr(begin).starts_with(kPieceSpace)) begin += kPieceSpace.size();
  return std::min(text.find(kPieceSpace, begin), text.size());
}

size_t char_length(std::string_view text, size_t at) {
  const Utf8Step step = utf8_step(text, at);
  return step.kind == Utf8Kind::kChar ? static_cast<size_t>(step.length) : 1;
}

UnknownText::UnknownText(const Vocab& vocab) : unknown_(vocab.unk) {
  byte_ids_.fill(-1);
  for (TokenId id = 0; id < vocab.size(); ++id) {
    const auto byte = byte_of_piece(vocab.pieces[static_cast<size_t>(id)]);
    if (byte && vocab.kind(id) == PieceKind::kByte) byte_ids_[*byte] = id;
  }
  has_bytes_ = std::ranges::none_of(byte_ids_, [](TokenId id) { return id < 0; });
}

void UnknownText::put(std::string_view bytes, std::vector<TokenId>& out) const {
  if (has_bytes_) {
    for (char c : bytes) out.push_back(byte_ids_[static_cast<uint8_t>(c)]);
  } else if (unknown_ && (out.empty() || out.back() != *unknown_)) {
    out.push_back(*unknown_);
  }
}

}  // namespace skald
