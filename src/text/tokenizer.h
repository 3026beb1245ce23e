// Tokenizer: text to token ids and back, for the kinds that GGUF files name in tokenizer.ggml.model.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/meta.h"
#include "skald/text.h"
#include "skald/types.h"
#include "text/marked_text.h"
#include "text/normal_text.h"
#include "text/special_matcher.h"
#include "text/special_splitter.h"
#include "text/vocab.h"

namespace skald {

/// Immutable after creation: all of its functions may be called from several threads at once.
class Tokenizer {
 public:
  /// Throws kUnsupported naming an unknown tokenizer.ggml.model or .pre, kBadFile or kNotFound for inconsistent metadata.
  static std::unique_ptr<Tokenizer> create(const Meta& meta);
  virtual ~Tokenizer() = default;

  /// Takes any bytes; those that are not UTF-8 become the tokens of single bytes where the vocabulary has them. Throws
  /// kBadInput for a text of more than 512 MiB.
  std::vector<TokenId> encode(std::string_view text, EncodeOptions options = {}) const;

  /// The same for texts of which some bytes are not trusted: a control token is found where all of its bytes are,
  /// user-defined ones anywhere. Text between them is encoded as a whole, trusted or not.
  std::vector<TokenId> encode(const MarkedText& text, EncodeOptions options = {}) const;
  std::vector<TokenId> encode(std::span<const TextPiece> pieces, EncodeOptions options = {}) const;

  /// Returns the text of `ids`, in UTF-8 with U+FFFD for bytes that are not well-formed. Special tokens are left out unless
  /// `special`; unknown ones show as the tokenizer's family has it. Throws kBadInput for an id outside the vocabulary.
  std::string decode(std::span<const TokenId> ids, bool special = false) const;

  /// Returns the bytes that one token stands for (maybe a part of a UTF-8 character); of a special token its name. Throws
  /// kBadInput for an id outside the vocabulary.
  const std::string& piece_bytes(TokenId id) const;

  /// Returns the text that one token adds: its bytes, but nothing for a control token unless `special`. Throws as
  /// piece_bytes().
  std::string_view text_of(TokenId id, bool special) const;

  const Vocab& vocab() const { return vocab_; }

  /// Returns true when encoding puts a space before the text, so that decoding takes it off.
  virtual bool adds_first_space() const { return false; }
  /// Returns the text for an unknown token.
  virtual std::string_view unknown_text() const { return {}; }

 protected:
  /// `bytes`: the bytes that each piece stands for.
  Tokenizer(Vocab vocab, std::vector<std::string> bytes);

  /// Encodes stretches of ordinary text one after the other; holds their shared state. For one thread.
  class Session {
   public:
    virtual ~Session() = default;
    /// `begins`: the tokenizer's tokens before a text come before this one.
    virtual void encode(std::string_view text, bool begins, std::vector<TokenId>& out) = 0;
  };
  /// `bytes`: how much text will come, in all.
  virtual std::unique_ptr<Session> new_session(size_t bytes) const = 0;

  /// Returns the text as it is when normalized tokens are looked for.
  virtual NormalText normalized(std::string_view text) const;

 private:
  static std::unique_ptr<Tokenizer> create_kind(const Meta& meta);
  void encode_fragments(std::span<const TextFragment> fragments, std::vector<TokenId>& out) const;
  std::vector<TokenId> encode(std::string_view text, EncodeOptions options, const SpecialMatcher::Takes& takes) const;

  Vocab vocab_;
  std::vector<std::string> bytes_;
  std::optional<SpecialSplitter> splitter_;  // made when the tokenizer is complete
};

}  // namespace skald
