// Vocabulary: the tokens of a model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "skald/types.h"

namespace skald {
class LoadedModel;
}

#pragma GCC visibility push(default)
namespace skald {

/// Lists GGUF's tokenizer.ggml.token_type values.
enum class PieceKind : uint8_t { kUndefined, kNormal, kUnknown, kControl, kUserDefined, kUnused, kByte };

/// Lists the tokens for which vocabularies have names.
enum class SpecialToken : uint8_t {
  kBos,  // begins texts; BERT's [CLS] too
  kEos,  // ends texts
  kEot,  // ends turns
  kEom,  // ends messages that wait for a tool
  kUnk,  // stands for text without a token
  kSep,
  kPad,
};

/// Keeps the model alive, and is cheap to copy. Functions of an id throw Error (kBadInput) for one outside of the
/// vocabulary.
class Vocabulary {
 public:
  /// Throws Error (kUnsupported or kBadFile) saying why the model has no tokenizer.
  explicit Vocabulary(std::shared_ptr<const LoadedModel> model);

  /// Counts the tokens; ids are 0 to size() - 1. Rows of logits may be longer (Model::n_vocab()).
  int64_t size() const;
  /// Returns the bytes of a token, maybe a part of a UTF-8 character; of a control token its name. Valid as long as the
  /// model.
  std::string_view bytes(TokenId id) const;
  PieceKind kind(TokenId id) const;
  /// Returns whether it is a control or unknown token, which is no part of running text.
  bool is_special(TokenId id) const;
  /// Returns whether the model ends a text with it: EOS, EOT and their kin.
  bool ends_text(TokenId id) const;
  std::vector<TokenId> end_tokens() const;

  std::optional<TokenId> special(SpecialToken which) const;
  /// Finds the token that the model's file spells so: "<s>", "\u2581the". None: there is none.
  std::optional<TokenId> find(std::string_view spelling) const;

 private:
  std::shared_ptr<const LoadedModel> model_;
};

}  // namespace skald
#pragma GCC visibility pop
