// EvalSuite: a kind of task that a long prompt ends with, most after RULER (Hsieh et al., arXiv 2404.06654). One file per
// suite in tools/eval/suites. Prompts are texts that a base model can go on with, or a user's messages in a chat.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/eval/eval_text.h"

namespace skald {

constexpr int64_t kMostAnswers = 64;  // tokens after a prompt

struct EvalCase {
  EvalText::Tokens prompt;           // of at most the length that was asked for
  std::vector<std::string> answers;  // to be found in the model's text
  bool in_order = false;             // one after the other from the beginning: those after a wrong one do not count
  int64_t n_generate = 16;
  std::string_view between = " ";  // where answers are in order: may stand before each
  EvalText::Tokens follows = {};   // instead of answers: tokens that are to be predicted, at most kMostAnswers

  /// Returns the share of the answers that `text` gives.
  double score(std::string_view text) const;
};

struct EvalSuite {
  std::string_view name;
  std::string_view what;  // for help: "one number among sentences"
  bool predicts = false;  // its cases have a continuation, from the user's text where there is one
  /// A case whose prompt has at most `length` tokens, and nearly as many. Throws kBadInput where that is too short,
  /// or longer than the user's text.
  EvalCase (*make)(const EvalText& text, int64_t length, Rng& rng);
};

/// Returns all suites, one per file of tools/eval/suites (generated).
std::span<const EvalSuite* const> eval_suites();
/// Throws kBadInput listing the known names.
const EvalSuite& find_eval_suite(std::string_view name);

}  // namespace skald
