// SentencePiece's unigram model (tokenizer.ggml.model "t5"): of all ways to cut a text into pieces, the likeliest.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/piece_trie.h"
#include "text/sentence_normalizer.h"
#include "text/sentence_piece.h"
#include "text/tokenizer.h"

namespace skald {

class UnigramTokenizer final : public Tokenizer {
 public:
  /// As Tokenizer::create.
  static std::unique_ptr<Tokenizer> create(const Meta& meta);

  bool adds_first_space() const override { return vocab().add_space_prefix; }
  std::string_view unknown_text() const override { return kUnknownText; }

 protected:
  std::unique_ptr<Tokenizer::Session> new_session(size_t bytes) const override;
  NormalText normalized(std::string_view text) const override;

 private:
  class Session;
  UnigramTokenizer(Vocab vocab, std::vector<std::string> bytes, const Meta& meta);

  void index_pieces();
  void find_scores();
  void encode_text(Session& session, std::string_view text, std::vector<TokenId>& out) const;
  void encode_word(Session& session, std::string_view word, std::vector<TokenId>& out) const;
  void cut_word(Session& session, std::string_view word, std::vector<TokenId>& out) const;
  void mark_best(Session& session, std::string_view word) const;

  PieceTrie pieces_;
  std::vector<double> scores_;  // one per piece: log probabilities
  double unknown_score_ = 0;    // of a character that is no piece
  UnknownText unknown_;
  SentenceNormalizer normalizer_;
  bool words_stand_alone_ = false;  // no piece and no row of unknown characters reaches over the end of a word
};

}  // namespace skald
