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

/// The state of a source for one branch. It is given the branch's text with each question, so that pauses, forks and guesses
/// without room need no word.
class BranchDrafts {
 public:
  virtual ~BranchDrafts() = default;
  /// For another branch with the same text.
  virtual std::unique_ptr<BranchDrafts> fork() const = 0;
  /// Of the `guessed` (> 0) tokens of the last answer, the first `right` were those of the text.
  virtual void judge(int64_t right, int64_t guessed) = 0;
};

/// A question of one branch: the tokens that may follow its text.
struct DraftQuestion {
  BranchDrafts* drafts;
  std::span<const TokenId> text;  // prompt and generated tokens
  int64_t most;                   // > 0
  std::vector<TokenId> guesses = {};
};

/// One per engine; on the engine's thread.
class DraftSource {
 public:
  virtual ~DraftSource() = default;
  virtual std::unique_ptr<BranchDrafts> begin(const Request& request) = 0;
  /// Answers the questions of all branches of a step at once: at most `most` guesses each, or none.
  virtual void guess(std::span<DraftQuestion> questions) = 0;
};

/// One per file of engine/drafts/kinds.
struct DraftKind {
  std::string_view name;
  std::unique_ptr<DraftSource> (*make)(const DraftOptions& options);
};

/// All kinds (generated).
std::span<const DraftKind* const> draft_kinds();

/// The source that the options name; null for "none". Throws kBadInput listing the known names.
std::shared_ptr<DraftSource> make_draft_source(const DraftOptions& options);

}  // namespace skald
