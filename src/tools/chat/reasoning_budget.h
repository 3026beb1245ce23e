// ReasoningBudget: ends the reasoning of a reply that has more tokens of it than it may have.
#pragma once

#include <memory>
#include <string>

#include "skald/engine.h"
#include "text/chat/replies/reply_format.h"
#include "text/tokenizer.h"

namespace skald {

/// The replies that a budget is for: those of a format to a prompt that ends with `generation_prompt`.
struct ReasoningBudgetParams {
  const ReplyFormat* format;
  std::string generation_prompt = {};
  int64_t tokens = -1;  // of reasoning, at most; -1: any number
};

/// Makes a forcer of the tokens that a model of the format writes to end its reasoning; null without a limit. Reasoning that
/// begins again later is not ended. `tokenizer` must outlive it.
std::shared_ptr<const TokenForcer> reasoning_budget(const Tokenizer& tokenizer, ReasoningBudgetParams params);

}  // namespace skald
