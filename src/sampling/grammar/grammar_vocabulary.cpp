#include "sampling/grammar/grammar_vocabulary.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "text/tokenizer.h"

namespace skald {

GrammarVocabulary::GrammarVocabulary(std::vector<std::string> texts, std::vector<TokenId> ends, MarkerSpelling markers)
    : texts_(std::move(texts)), ends_(std::move(ends)), markers_(std::move(markers)), same_(texts_.size(), -1) {
  std::unordered_map<std::string_view, TokenId> first;
  for (size_t i = texts_.size(); i-- > 0;) {
    const std::string_view text = texts_[i];
    if (text.empty() || text.size() > TokenTrie::kMaxText) continue;
    const auto id = static_cast<TokenId>(i);
    const auto [it, added] = first.try_emplace(text, id);
    if (!added) same_[i] = std::exchange(it->second, id);
  }
  for (auto& by_length : masks_) by_length.fill(std::vector<uint32_t>(words()));
  std::array<std::vector<std::pair<std::string_view, TokenId>>, kTokenSlices> by_slice;
  for (const auto& [text, id] : first) {
    const TokenSlice slice = slice_of(text);
    by_slice[slice.slice].emplace_back(text, id);
    if (slice.slice < kTokenAlphabets) set(masks_[slice.slice][slice.characters - 1], id);
    depth_ = std::max(depth_, text.size());
  }
  for (size_t i = 0; i < kTokenSlices; ++i) tries_[i] = TokenTrie::of(std::move(by_slice[i]));
  add_up_masks();
}

// Each mask has what the one of a character less has, and the one of the next smaller alphabet.
void GrammarVocabulary::add_up_masks() {
  for (size_t a = 0; a < kTokenAlphabets; ++a) {
    for (size_t n = 0; n < kMaxSliceCharacters; ++n) {
      for (size_t i = 0; i < words(); ++i) {
        if (n > 0) masks_[a][n][i] |= masks_[a][n - 1][i];
        if (a > 0) masks_[a][n][i] |= masks_[a - 1][n][i];
      }
    }
  }
}

std::shared_ptr<const GrammarVocabulary> GrammarVocabulary::of(const Tokenizer& tokenizer) {
  const Vocab& vocab = tokenizer.vocab();
  std::vector<std::string> texts(static_cast<size_t>(vocab.size()));
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto id = static_cast<TokenId>(i);
    const PieceKind kind = vocab.kind(id);
    if (vocab.is_end(id) || kind == PieceKind::kUnknown || kind == PieceKind::kUnused) continue;
    const std::string& bytes = tokenizer.piece_bytes(id);
    if (bytes.empty() || bytes.find(kControlByte) != std::string::npos) continue;
    texts[i] = kind == PieceKind::kControl ? kControlByte + bytes : bytes;
  }
  return std::make_shared<const GrammarVocabulary>(std::move(texts), vocab.end_tokens(), MarkerSpelling(vocab));
}

}  // namespace skald
