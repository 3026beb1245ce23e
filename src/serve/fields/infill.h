// Infilling: prompts for what goes between two texts, of models that have tokens for it (Bavarian et al., 2022).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "serve/fields/fields.h"
#include "serve/models/served_model.h"

namespace skald::serve {

/// What is around the gap.
struct Surroundings {
  std::vector<TokenId> extra = {};   // of other files
  std::vector<TokenId> before = {};  // the gap
  std::vector<TokenId> begun = {};   // what the gap begins with
  std::vector<TokenId> after = {};
};

/// The names of the tokens that the model lacks for infilling: "suffix, middle"; empty: it can.
std::string lacks_for_infill(const ServedModel& model);

/// The prompt. `suffix_first`: what comes after the gap stands first.
std::vector<TokenId> infill_prompt(const Surroundings& around, ServedModel& model, bool suffix_first);

/// Leaves out what is farthest from the gap, so that no more than `room` tokens remain: `extra` from its beginning, then of
/// both sides, of which the one before has up to three quarters. Whether anything was left out.
bool cut_to(Surroundings& around, int64_t room);

/// `suffix` of APIs whose prompt is the text before the gap, in `key`: a prompt for each of its prompts. Throws ApiError
/// (400) naming the field, `suffix` for models that cannot, and for prompts that leave no room for an answer.
std::vector<std::vector<TokenId>> read_infills(const Fields& fields, std::string_view key, ServedModel& model, size_t most,
                                               bool suffix_first);

/// `input_prefix`, `input_suffix`, `input_extra` and `prompt`, which the gap begins with, as llama-server has them. Throws
/// ApiError (400) naming the field.
Surroundings read_surroundings(const Fields& fields, ServedModel& model);

}  // namespace skald::serve
