// --verbose-prompt: the prompt, token by token, and how the next ones are chosen.
#pragma once

#include <span>
#include <string>

#include "cli/flags/sampling.h"
#include "skald/model.h"
#include "skald/types.h"

namespace skald {

/// Declares the flag.
void declare_verbose_prompt(Flags& flags, bool& value);

/// Returns the tokens, a line each: " 403 -> ' Once'". Control tokens by name; other control characters are visible.
std::string prompt_lines(const Model& model, std::span<const TokenId> prompt);
/// Returns how tokens are chosen, and where each value comes from.
std::string sampling_lines(const SamplingFlags& flags, const Model& model, const SamplingParams& params);

}  // namespace skald
