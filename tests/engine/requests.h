// Requests to the embedded model, as the engine's tests make them.
#pragma once

#include <chrono>
#include <future>
#include <string_view>

#include "skald/skald.h"

namespace skald::test {

inline const Model& story_model() {
  static const Model model = Model::embedded();
  return model;
}

/// Greedy, and going on after the end of the story, so that exactly n_tokens come.
inline Request story(std::string_view prompt, int n_tokens) {
  return {.prompt = story_model().tokenize(prompt),
          .max_tokens = n_tokens,
          .ignore_eos = true,
          .sampling = {.temperature = 0},
          .on_event = {}};
}

/// A story without end: only cancelling stops it, or the context of kLongContext.
constexpr int kLongContext = 1 << 20;
inline Request endless_story() { return story("Once upon a time", -1); }

inline bool ready(const std::future<Result>& result) {
  return result.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

/// The result, or a failed test after a minute instead of a hang.
inline Result wait_for(std::future<Result>& result) {
  if (result.wait_for(std::chrono::minutes(1)) != std::future_status::ready)
    throw std::runtime_error("no result in a minute");
  return result.get();
}

}  // namespace skald::test
