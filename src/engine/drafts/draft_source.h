// DraftSource: guesses at the tokens that come next, which a step checks along with the token that is certain.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "skald/engine.h"
#include "skald/options.h"

namespace skald {

class KvSequence;
class LoadedModel;
class NextTokens;
class Stepper;

/// The state of a source for one branch. It is given the branch's text with each question, so that pauses, forks and guesses
/// without room need no word.
class BranchDrafts {
 public:
  virtual ~BranchDrafts() = default;
  /// For another branch with the same text.
  virtual std::unique_ptr<BranchDrafts> fork() const = 0;
  /// Of the `guessed` (> 0) tokens of the last answer, the first `right` were those of the text.
  virtual void judge(int64_t right, int64_t guessed) = 0;
  /// Returns how probable it is that the next guess at the text is right, and each one after right ones; 0: there is none.
  virtual double likely(std::span<const TokenId> text) = 0;
};

/// A question of one branch: the tokens that may follow its text.
struct DraftQuestion {
  BranchDrafts* drafts;
  std::span<const TokenId> text;     // prompt and generated tokens
  int64_t most;                      // > 0
  const KvSequence* kv = nullptr;    // of the text, but for its last token
  const NextTokens* next = nullptr;  // how the branch will choose: a source with logits goes ahead on a copy
  std::vector<TokenId> guesses = {};
};

/// One per engine; on the engine's thread.
class DraftSource {
 public:
  virtual ~DraftSource() = default;
  virtual std::unique_ptr<BranchDrafts> begin(const Request& request) = 0;
  /// Answers the questions of all branches of a step at once: at most `most` guesses each, or none.
  virtual void guess(std::span<DraftQuestion> questions) = 0;
  /// A step of `rows` generated rows, guesses among them, and of no others took so long.
  virtual void took([[maybe_unused]] int64_t rows, [[maybe_unused]] double seconds) {}
  /// A request is over, whose text has come to these tokens.
  virtual void ended([[maybe_unused]] const Request& request, [[maybe_unused]] std::span<const TokenId> text) {}
};

/// What a source is made of: the engine's model, and its stepper, which may compute steps of other sequences between those
/// of texts. They outlive the source.
struct DraftMeans {
  const EngineOptions& options;
  const LoadedModel* model = nullptr;
  Stepper* stepper = nullptr;
};

/// One per file of engine/drafts/kinds.
struct DraftKind {
  std::string_view name;
  std::unique_ptr<DraftSource> (*make)(const DraftMeans& means);
  /// Whether the kind "auto" has it for this engine.
  bool (*fits)(const DraftMeans& means) = [](const DraftMeans&) { return false; };
  bool computes = true;  // its guesses take time
};

/// All kinds (generated).
std::span<const DraftKind* const> draft_kinds();

/// The kind that the options name; null for "none". Throws kBadInput listing the known names.
const DraftKind* find_draft_kind(const DraftOptions& options);
/// Its source; null for "none".
std::shared_ptr<DraftSource> make_draft_source(const DraftMeans& means);

}  // namespace skald
