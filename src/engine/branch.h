// Branch: one line of text of a job: its cache, sampler and detokenizer, and the tokens that it has come to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/conversations.h"
#include "engine/drafts/draft_kind.h"
#include "engine/next_tokens.h"
#include "engine/passing_checkpoint.h"
#include "kv/saved_sequence.h"
#include "kv/sequence.h"
#include "skald/engine.h"
#include "stepping/logits.h"
#include "stepping/sparq_pilot.h"
#include "text/detokenizer.h"
#include "text/line_indent.h"
#include "text/stop_texts.h"

namespace skald {

class Branch {
 public:
  /// A token that comes next.
  struct Picked {
    TokenId token;
    double log_prob = 0;                           // where the request asks
    std::vector<TokenLogProb> top_log_probs = {};  // likewise
    bool ends = false;                             // its grammar lets nothing follow
  };

  /// `tokenizer` may be null: then there are ids only.
  Branch(Past past, const Request& request, const Tokenizer* tokenizer, std::optional<GrammarCursor> grammar = {});
  /// Another one with the same past, whose sampler draws from `seed` on. It is paused where this one is.
  Branch fork(uint64_t seed) const;

  /// Returns the tokens that are not in the cache yet: the rest of the prompt, or generated ones, of which the last may be
  /// drafts.
  std::span<const TokenId> pending() const;
  /// Returns the number of them that must be in one step.
  int64_t at_once() const;
  /// Returns whether pending() are generated rows.
  bool generates() const { return kv.length() >= n_prompt_; }
  /// Sets positions within the prompt, ascending, at which steps end: the keys and states there are worth keeping.
  void stop_at(std::vector<int64_t> positions) { stops_ = std::move(positions); }
  /// Of pending(), as many as there are up to the next such position. Generated rows with a pilot are of one page.
  int64_t until_stop() const;
  bool is_at_stop() const { return std::ranges::binary_search(stops_, kv.length()); }
  /// Logits that a step of the first n of pending() must give: none before all of the text is in the cache.
  int64_t outputs(int64_t n) const;
  /// Returns whether its next step is measured on copies of its cache.
  bool is_measured_next() const { return pilot && generates() && !pilot->has_begun(kv.length()); }
  /// Returns whether the logits of all its prompt are asked for.
  bool wants_prompt() const { return prompt_probs_.has_value(); }
  /// Notes the log probabilities of the prompt's next tokens, from the n outputs of a step of it.
  void note_prompt(const Logits& logits, int64_t first_row, int64_t n);
  /// Guesses of the tokens that come next, to be computed along; at a decoding step only.
  void draft(std::span<const TokenId> guesses);

  /// From the outputs of the last step: the tokens that come next, one more than there were right guesses. Branches may do
  /// so at the same time.
  std::vector<Picked> pick(const Logits& logits, int64_t first_row);
  /// Of a beam search, in place of pick(): notes the n likeliest tokens that may come next.
  void look(const Logits& logits, int64_t row, size_t n);
  /// Returns whether it has them, and waits for the other texts of its search.
  bool waits() const { return outlook_.has_value(); }
  /// Returns them, the likeliest first.
  std::span<const TokenLogProb> candidates() const { return outlook_->candidates; }
  /// Chooses one of them.
  Picked follow(const TokenLogProb& candidate);
  /// Takes the guesses back, before a step.
  void drop_drafts();
  /// Makes the cache forget drafts that were wrong; their tokens are gone.
  void forget_wrong_drafts();
  /// Adds a generated token. Returns the text that became complete with it, and is no part of a stop text or of a line that
  /// ends the text.
  std::string_view push(const Picked& picked);
  /// Returns the text that is left at its end.
  std::string_view flush();
  /// Returns the stop text that was found, else null.
  const std::string* stopped() const { return stop_.found(); }
  /// Returns whether a line began with too few blanks.
  bool outdented() const { return indent_.ended(); }

  /// Returns the next such position; none where there is none before the end of the prompt.
  std::optional<int64_t> next_stop() const;
  /// Goes on from pages of its prompt that others computed, which are more than its own. Returns how many tokens without
  /// keys need not be computed now.
  int64_t take_over(Past past);

  /// Gives its pages up until resume(). Rows are computed again as they were made. Those that cannot be made again (states,
  /// and keys that saw a past that was dropped) are kept in other memory.
  void pause();
  bool paused() const { return paused_; }
  /// Returns the room of resume() and the steps until the next token, and a page more, so that it is not paused again at
  /// once.
  KvRoom need_to_resume() const;
  /// Returns false when there is no room.
  bool resume();
  /// Returns how many tokens of the prompt have keys now that had none at the last call or before: those computed again
  /// after a pause do not count.
  int64_t note_read();
  /// A step failed: rows that it may have left half done are computed again.
  void recover();

  /// Returns the past with which others may begin; the branch is of no use any more.
  Past past() { return {std::move(kv), exact()}; }
  /// As in Past.
  int64_t exact() const { return exact_; }

  uint64_t seed() const { return next_.seed(); }
  /// How it chooses its tokens: a copy may go ahead of it.
  const NextTokens& next() const { return next_; }
  std::span<const TokenId> tokens() const { return tokens_; }  // prompt and generated ones
  int64_t n_prompt() const { return n_prompt_; }

  KvSequence kv;
  /// Of the prompt's tokens after the first.
  struct PromptProbs {
    std::vector<double> log_probs = {};
    std::vector<std::vector<TokenLogProb>> top = {};
  };
  /// Returns whether all of the prompt has had keys.
  bool prompt_was_read() const { return read_ == n_prompt_; }
  /// Returns the notes of the prompt; nothing where they were not asked for.
  const std::optional<PromptProbs>& prompt_probs() const { return prompt_probs_; }

  Choice text;                          // its result
  std::vector<size_t> pieces;           // of its text, in bytes: one a token, where they are told later
  std::unique_ptr<TextDrafter> drafts;  // of the engine's source of guesses, once it was asked
  std::optional<SparqPilot> pilot;      // where its own measurements say how much it reads
  DraftUse draft_use;
  PassingCheckpoint last_checkpoint;  // of windows, that steps of its prompt leave for others
  bool done = false;
  int64_t slot = kNoSlot;  // of the places that run at the same time

  static constexpr int64_t kNoSlot = -1;
  bool has_slot() const { return slot != kNoSlot; }

 private:
  Branch(const Branch& other, uint64_t seed);
  struct Outlook {
    std::vector<TokenLogProb> candidates, top;  // top: as Picked has it
  };
  void take(Picked& picked);
  void begin_again(const std::optional<KvCheckpoint>& at);
  Picked with_all_log_probs(TokenId token, const Logits& logits, int64_t row) const;
  Picked with_log_probs(TokenId token, const Logits& logits, int64_t row) const;

  NextTokens next_;
  std::optional<Detokenizer> detokenizer_;
  StopTexts stop_;
  LineIndent indent_;
  std::shared_ptr<const TokenForcer> forcer_;  // of the request
  std::unique_ptr<TokenForcer> forcing_;       // of this text
  const Tokenizer* tokenizer_;
  std::vector<TokenId> tokens_;  // then drafts
  int64_t n_prompt_, n_drafts_ = 0;
  int64_t right_ = 0;  // tokens whose keys are right after the last pick()
  int64_t read_;       // tokens of the prompt that have had keys
  int64_t exact_;      // as in Past, once the prompt is in the cache
  std::string rest_;   // of the text
  std::vector<int64_t> stops_;
  std::optional<PromptProbs> prompt_probs_;
  std::optional<Outlook> outlook_;
  bool wants_log_prob_;
  int top_log_probs_;
  bool paused_ = false;
  std::shared_ptr<const SavedSequence> saved_;  // forks have the same one
  std::optional<KvCheckpoint> before_drafts_;   // of a sequence that does not go back
};

}  // namespace skald
