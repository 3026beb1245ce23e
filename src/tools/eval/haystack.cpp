#include "tools/eval/haystack.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"

namespace skald {

std::function<std::string()> noise() {
  return [i = size_t{0}]() mutable {
    constexpr const char* kSentences[] = {" The grass is green.", " The sky is blue.", " The sun is yellow.", " Here we go.",
                                          " There and back again."};
    return std::string(kSentences[i++ % std::size(kSentences)]);
  };
}

EvalText::Tokens hide(const EvalText& text, const Haystack& stack, int64_t length, Rng& rng) {
  EvalText::Tokens out = text.begin();
  const auto append = [&](const EvalText::Tokens& tokens) { out.insert(out.end(), tokens.begin(), tokens.end()); };
  append(text.encode(stack.head));
  const EvalText::Tokens tail = text.encode(text.in_chat() ? stack.question : stack.tail);
  std::vector<EvalText::Tokens> needles, hay;
  int64_t room = length - std::ssize(out) - std::ssize(tail);
  for (const std::string& needle : stack.needles) {
    needles.push_back(text.encode(needle));
    room -= std::ssize(needles.back());
  }
  if (room < 0) fail(Errc::kBadInput, "eval: {} tokens are too few for this task", length);
  for (EvalText::Tokens next = text.encode(stack.hay()); std::ssize(next) <= room; next = text.encode(stack.hay())) {
    room -= std::ssize(next);
    hay.push_back(std::move(next));
  }
  std::vector<size_t> places;  // sentences before each needle
  for (size_t i = 0; i < needles.size(); ++i) places.push_back(draw(rng, hay.size() + 1));
  std::ranges::sort(places);
  size_t needle = 0;
  for (size_t i = 0; i <= hay.size(); ++i) {
    for (; needle < needles.size() && places[needle] == i; ++needle) append(needles[needle]);
    if (i < hay.size()) append(hay[i]);
  }
  append(tail);
  return out;
}

}  // namespace skald
