// Byte-level BPE (tokenizer.ggml.model "gpt2"): words by regular expression, then merges by rank over bytes.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/merge_queue.h"
#include "text/pre_tokenizer.h"
#include "text/tokenizer.h"

namespace skald {

class BpeTokenizer final : public Tokenizer {
 public:
  /// As Tokenizer::create.
  static std::unique_ptr<Tokenizer> create(const Meta& meta);

 protected:
  std::unique_ptr<Tokenizer::Session> new_session(size_t bytes) const override;
  NormalText normalized(std::string_view text) const override;

 private:
  class Session;
  BpeTokenizer(Vocab vocab, std::vector<std::string> bytes, const PreTokenizerSpec& spec);

  void index_bytes();
  void index_words();
  void encode_text(Session& session, std::string_view text, std::vector<TokenId>& out) const;
  std::string with_known_bytes(std::string_view broken) const;
  void encode_word(Session& session, std::string_view word, std::vector<TokenId>& out) const;
  void merge_word(Session& session, std::string_view word, std::vector<TokenId>& out) const;

  PreTokenizer pre_tokenizer_;
  bool nfc_;
  MergeTable merges_;
  std::array<TokenId, 256> byte_ids_{};                        // -1 where the vocabulary lacks the byte
  std::unordered_map<std::string_view, TokenId> whole_words_;  // by bytes; filled where merges are ignored for them
};

}  // namespace skald
