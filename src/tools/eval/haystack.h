// Haystack: a prompt of a given length in which a few sentences are hidden among others.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/eval/eval_text.h"

namespace skald {

struct Haystack {
  std::string head, tail;            // the prompt's first and last lines
  std::string question;              // in a chat the last line
  std::vector<std::string> needles;  // in this order, anywhere
  std::function<std::string()> hay;  // the next sentence of the text that hides them
};

/// A Haystack::hay of sentences that mean nothing.
std::function<std::string()> noise();

/// At most `length` tokens. Throws kBadInput where that is too short for the needles.
EvalText::Tokens hide(const EvalText& text, const Haystack& stack, int64_t length, Rng& rng);

}  // namespace skald
