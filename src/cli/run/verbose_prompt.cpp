#include "cli/run/verbose_prompt.h"

#include <fmt/format.h>

#include "base/terminal_text.h"
#include "cli/run/sampling_report.h"
#include "loading/loaded_model.h"
#include "text/tokenizer.h"

namespace skald {

void declare_verbose_prompt(Flags& flags, bool& value) {
  flags.add("--verbose-prompt", value,
            "show on stderr the tokens of the prompt, and how tokens are chosen: each value, and where it is from");
}

std::string prompt_lines(const Model& model, std::span<const TokenId> prompt) {
  const Tokenizer* const tokenizer = model.loaded()->find_tokenizer();
  std::string out = fmt::format("prompt: {} tokens\n", prompt.size());
  for (const TokenId id : prompt) {
    const std::string text = tokenizer ? fmt::format(" -> '{}'", terminal_text(tokenizer->text_of(id, true))) : "";
    out += fmt::format("{:6}{}\n", id, text);
  }
  return out;
}

std::string sampling_lines(const SamplingFlags& flags, const Model& model, const SamplingParams& params) {
  return "sampling:\n" + sampling_sources(flags, model, params);
}

}  // namespace skald
