#include "text/chat/thinking.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "text/chat/replies/open_reasoning.h"
#include "text/vocab.h"

namespace skald {
namespace {

// Most templates know the first name; DeepSeek's, Granite's and Kimi's the second.
constexpr std::array kSwitches = {"enable_thinking", "thinking"};

}  // namespace

bool can_think(const ReplyFormat& format, std::string_view template_source, const Vocab& vocab) {
  if (has(template_source, "think") || has(template_source, "reasoning")) return true;
  return std::ranges::any_of(reasoning_marks(format), [&](const ReasoningMarks& marks) {
    return has(template_source, marks.open) || vocab.find(marks.open).has_value();
  });
}

std::optional<bool> wanted_thinking(int64_t budget, std::string_view effort) {
  if (budget == 0 || effort == "none") return false;
  if (budget > 0 || !effort.empty()) return true;
  return {};
}

void ask_for_thinking(nlohmann::ordered_json& kwargs, bool wanted, int64_t budget) {
  constexpr const char* kBudget = "thinking_budget";  // Seed-OSS
  if (budget >= 0 && !kwargs.contains(kBudget)) kwargs[kBudget] = budget;
  if (std::ranges::any_of(kSwitches, [&](const char* name) { return kwargs.contains(name); })) return;
  for (const char* name : kSwitches) kwargs[name] = wanted;
}

bool thinking_is_off(const nlohmann::ordered_json& kwargs) {
  return std::ranges::any_of(kSwitches, [&](const char* name) { return kwargs.contains(name) && kwargs[name] == false; });
}

std::string end_of_unwanted_thinking(const ReplyFormat& format, const std::string& prompt_end) {
  const ReasoningMarks* open = open_reasoning(reasoning_marks(format), std::string(format.content.before) + prompt_end);
  return open ? reasoning_end(format, *open, prompt_end) : "";
}

}  // namespace skald
