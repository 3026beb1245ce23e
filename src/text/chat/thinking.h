// Thinking: whether a model can, and how its template is asked for it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "text/chat/replies/reply_format.h"

namespace skald {

struct Vocab;

/// Returns whether replies may begin with reasoning: the template speaks of it, or the vocabulary has a token that opens it.
bool can_think(const ReplyFormat& format, std::string_view template_source, const Vocab& vocab);

/// Whether thinking is wanted, by its budget in tokens (-1: not said) and its effort (empty: not said; "none").
std::optional<bool> wanted_thinking(int64_t budget, std::string_view effort);

/// Says in a template's variables whether thinking is wanted, and its budget if there is one (-1: none), by the names that
/// templates have for them. Variables that say so already stay.
void ask_for_thinking(nlohmann::ordered_json& kwargs, bool wanted, int64_t budget);

/// Returns whether a template's variables switch thinking off.
bool thinking_is_off(const nlohmann::ordered_json& kwargs);

/// Returns the text that ends the reasoning in which a prompt leaves a reply that is not to think; empty: it is in none.
/// `prompt_end`: the text that begins the answer.
std::string end_of_unwanted_thinking(const ReplyFormat& format, const std::string& prompt_end);

}  // namespace skald
