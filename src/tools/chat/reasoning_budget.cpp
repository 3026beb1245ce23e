#include "tools/chat/reasoning_budget.h"

#include <algorithm>
#include <utility>

#include "text/chat/replies/open_reasoning.h"
#include "text/chat/replies/reply_parser.h"
#include "text/detokenizer.h"

namespace skald {
namespace {

constexpr size_t kTail = 64;  // bytes: longer than any end of reasoning

class ReasoningBudget final : public TokenForcer {
 public:
  ReasoningBudget(const Tokenizer& tokenizer, ReasoningBudgetParams params)
      : tokenizer_(tokenizer),
        params_(std::move(params)),
        marks_(open_marks()),
        parser_(*params_.format, {.tools = {}, .generation_prompt = params_.generation_prompt}),
        detokenizer_(tokenizer, /*special=*/true, /*continues=*/true),
        reasons_(marks_ != nullptr) {}

  std::unique_ptr<TokenForcer> begin() const override { return std::make_unique<ReasoningBudget>(tokenizer_, params_); }

  std::vector<TokenId> after(TokenId token) override {
    if (is_over_) return {};
    used_ += reasons_;
    read(token);
    if (!reasons_ || used_ < params_.tokens || ends_by_itself()) return {};
    is_over_ = true;
    return tokenizer_.encode(end(), {.add_special = false});
  }

 private:
  std::span<const ReasoningMarks> all_marks() const { return reasoning_marks(*params_.format); }
  const ReasoningMarks* open_marks() const {
    return open_reasoning(all_marks(), std::string(params_.format->content.before) + params_.generation_prompt);
  }

  // Of a vocabulary that is padded beyond its pieces, some ids have no text.
  void read(TokenId token) {
    if (token >= tokenizer_.vocab().size()) return;
    const std::string_view text = detokenizer_.push(token);
    for (const ReplyDelta& delta : parser_.push(text)) reasons_ = delta.kind == ReplyDelta::Kind::kReasoning;
    tail_ += text;
    if (tail_.size() > kTail) tail_.erase(0, tail_.size() - kTail);
  }

  // The parser says so only when something else comes.
  bool ends_by_itself() const {
    const std::string_view text = std::string_view(tail_).substr(0, tail_.find_last_not_of(" \n") + 1);
    return std::ranges::any_of(all_marks(), [&](const ReasoningMarks& marks) {
      for (size_t n = marks.close.size(); n > 0; --n)
        if (text.ends_with(marks.close.substr(0, n))) return true;
      return false;
    });
  }

  // Reasoning that the reply itself began is mostly of the first kind.
  std::string end() const {
    const std::span<const ReasoningMarks> all = all_marks();
    const ReasoningMarks* marks = marks_ || all.empty() ? marks_ : &all.front();
    return marks ? reasoning_end(*params_.format, *marks, params_.generation_prompt) : "";
  }

  const Tokenizer& tokenizer_;
  ReasoningBudgetParams params_;
  const ReasoningMarks* marks_;  // that the prompt opens; null: none
  ReplyParser parser_;
  Detokenizer detokenizer_;
  std::string tail_;  // of the text
  int64_t used_ = 0;  // tokens
  bool reasons_;      // the last thing that came was reasoning
  bool is_over_ = false;
};

}  // namespace

std::shared_ptr<const TokenForcer> reasoning_budget(const Tokenizer& tokenizer, ReasoningBudgetParams params) {
  if (params.tokens < 0) return nullptr;
  return std::make_shared<const ReasoningBudget>(tokenizer, std::move(params));
}

}  // namespace skald
