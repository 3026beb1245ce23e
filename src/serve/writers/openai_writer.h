// What OpenAI's text and chat completions have in common.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "serve/run/answer.h"

namespace skald::serve {

class OpenAiWriter : public ResponseWriter {
 public:
  /// The usage, where it was asked for, and [DONE].
  std::string end(const Answer& answer) override;

 protected:
  /// `id`: what goes before an answer's own. `object`, `piece`: what the whole, and an event of a stream, call themselves.
  OpenAiWriter(std::string_view id, std::string_view object, std::string_view piece)
      : id_(id), object_(object), piece_(piece) {}

  /// An event.
  Json chunk(const Answer& answer, Json choices) const;
  /// The event that tells how much of a prompt is read.
  std::string progress_chunk(const Answer& answer, Json choice, const PromptProgress& progress) const;
  /// The event with which a choice ends.
  std::string last_chunk(const Answer& answer, Json choice) const;
  Json all(const Answer& answer, Json choices) const;

 private:
  Json head(const Answer& answer, std::string_view object, Json choices) const;

  std::string_view id_, object_, piece_;
};

/// The most likely tokens at a place that was asked for them; else none.
std::span<const TokenLogProb> top_log_probs(const Answer& answer, const Choice& said, size_t place);

/// Of a token that was said, with the most likely ones at its place; and of all tokens of a choice from place `from` on.
Json log_prob_json(const Answer& answer, const AnswerDelta& spoken);
Json log_probs_json(const Answer& answer, const Choice& said, size_t from);

}  // namespace skald::serve
