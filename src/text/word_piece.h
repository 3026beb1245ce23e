// BERT's WordPiece (tokenizer.ggml.model "bert"): of each word the longest piece first.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/bert_words.h"
#include "text/piece_trie.h"
#include "text/tokenizer.h"

namespace skald {

/// GGUF spells pieces that begin a word with U+2581 and the others as they are, without BERT's "##".
class WordPieceTokenizer final : public Tokenizer {
 public:
  /// As Tokenizer::create.
  static std::unique_ptr<Tokenizer> create(const Meta& meta);

  bool adds_first_space() const override { return true; }

 protected:
  std::unique_ptr<Tokenizer::Session> new_session(size_t bytes) const override;
  NormalText normalized(std::string_view text) const override;

 private:
  class Session;
  WordPieceTokenizer(Vocab vocab, std::vector<std::string> bytes, BertOptions options);

  void encode_text(Session& session, std::string_view text, std::vector<TokenId>& out) const;
  void encode_word(Session& session, std::string_view word, std::vector<TokenId>& out) const;
  bool cut_word(std::string_view spelled, std::vector<TokenId>& out) const;

  BertOptions options_;
  PieceTrie pieces_;
};

}  // namespace skald
