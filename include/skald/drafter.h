// Drafter: guesses at the tokens that come next in texts, which a step checks along with the tokens that are certain.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "skald/types.h"

#pragma GCC visibility push(default)
namespace skald {

class KvSequence;
class Logits;
class NextTokens;
struct Request;

/// Holds a drafter's state for one text. It is given the text with each question, so that pauses, forks and guesses without
/// room need no word.
class TextDrafter {
 public:
  virtual ~TextDrafter() = default;
  /// Gives one for another text with the same beginning.
  virtual std::unique_ptr<TextDrafter> fork() const = 0;
  /// Learns that of the `guessed` (> 0) tokens of its last answer, the first `right` were those of the text.
  virtual void judge(int64_t right, int64_t guessed) = 0;
  /// Returns how probable it is that the next guess at the text is right, and each one after right ones; 0: there is none.
  virtual double likely(std::span<const TokenId> text) = 0;
  /// Takes, for a drafter that reads along, the hidden rows of the text's tokens from `first` on, all of a step. They may be
  /// of guesses that are wrong: the rows of their places come again then.
  virtual void see(int64_t /*first*/, const Logits& /*hidden*/, int64_t /*first_row*/, int64_t /*n*/) {}
};

/// Asks for the tokens that may follow one text.
struct DraftQuestion {
  TextDrafter* drafts;
  std::span<const TokenId> text;  // prompt and generated tokens
  int64_t most;                   // guesses, > 0; 0: none are wanted, of a drafter that reads along
  // For the engine's own drafters, which compute: the text's keys but for its last token, and how it chooses tokens.
  KvSequence* kv = nullptr;
  const NextTokens* next = nullptr;
  std::vector<TokenId> guesses = {};  // the answer
};

/// Guesses for all texts of one engine, on its thread.
class Drafter {
 public:
  virtual ~Drafter() = default;
  virtual std::unique_ptr<TextDrafter> begin(const Request& request) = 0;
  /// Answers the questions of all texts of a step at once: with at most `most` guesses each, or none.
  virtual void guess(std::span<DraftQuestion> questions) = 0;
  /// Returns whether it is asked about texts that want no guesses as well, from the first step of their prompts on. It then
  /// sees the hidden rows of steps (DraftOptions::mtp).
  virtual bool reads_along() const { return false; }
  /// Learns how long a step of `rows` generated rows, guesses among them, and of no others took.
  virtual void took([[maybe_unused]] int64_t rows, [[maybe_unused]] double seconds) {}
  /// Learns that a request is over, and to which tokens its text has come.
  virtual void ended([[maybe_unused]] const Request& request, [[maybe_unused]] std::span<const TokenId> text) {}
};

}  // namespace skald
#pragma GCC visibility pop
