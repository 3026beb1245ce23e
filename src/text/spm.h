// SentencePiece's BPE over characters, single bytes for unknown characters: merges by the scores of pieces
// (tokenizer.ggml.model "llama"), or as the file lists them ("gemma4").
#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/merge_queue.h"
#include "text/sentence_piece.h"
#include "text/tokenizer.h"

namespace skald {

class SpmTokenizer final : public Tokenizer {
 public:
  /// As Tokenizer::create.
  static std::unique_ptr<Tokenizer> create(const Meta& meta);

  bool adds_first_space() const override { return vocab().add_space_prefix; }
  std::string_view unknown_text() const override { return kUnknownText; }

 protected:
  std::unique_ptr<Tokenizer::Session> new_session(size_t bytes) const override;

 private:
  class Session;
  SpmTokenizer(Vocab vocab, std::vector<std::string> bytes);

  bool listed_merges() const { return vocab().model == "gemma4"; }

  void index_mergeable();
  void index_chars();
  void index_words();
  void index_merges();
  bool mergeable(TokenId id) const { return mergeable_[static_cast<size_t>(id)]; }
  TokenId id_of(std::string_view piece) const;
  void encode_text(Session& session, std::string_view text, bool begins, std::vector<TokenId>& out) const;
  void encode_lines(Session& session, std::string_view text, std::vector<TokenId>& out) const;
  void encode_words(Session& session, std::string_view text, std::vector<TokenId>& out) const;
  void encode_word(Session& session, std::string_view word, std::vector<TokenId>& out) const;
  void merge_word(Merger& merger, std::string_view word, std::vector<TokenId>& out) const;

  std::vector<bool> mergeable_;  // one per piece: merging may give it
  // Ids beyond the vocabulary stand for characters that are no pieces themselves but occur in some.
  std::unordered_map<uint32_t, TokenId> char_ids_;  // by code point
  MergeTable merges_;
  UnknownText unknown_;
  bool words_merge_alone_ = true;  // no piece reaches over the end of a word
};

}  // namespace skald
