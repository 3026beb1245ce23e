// The texts of a CallShape in pieces: what is written as it is, and what stands for something else.
#pragma once

#include <string_view>
#include <vector>

namespace skald {

struct TemplatePart {
  bool variable = false;
  std::string_view text;  // a variable's name, without the $
};

/// `text` outlives the parts. Only names that CallShape has are variables.
std::vector<TemplatePart> template_parts(std::string_view text);

/// The text in front of the first variable.
std::string_view template_head(std::string_view text);
/// The text after a variable, up to the next one.
std::string_view text_behind(std::string_view text, std::string_view variable);

}  // namespace skald
