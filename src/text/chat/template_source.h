// Where a model's chat template comes from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/meta.h"

namespace skald {

struct TemplateSource {
  std::string text;      // Jinja
  std::string origin;    // "key tokenizer.chat_template", or the name of a built-in one
  bool guessed = false;  // the model says nothing, and its family has none that is known: ChatML
};

/// Finds the template of a model: that for tools ("tool_use") where tools are wanted and the model has one, else its plain
/// one. Without those, that of its family where this is known, else ChatML.
TemplateSource find_template(const Meta& meta, bool with_tools = false);

/// Returns a line that tells the user of a template that is not the model's own; empty for one that is.
std::string template_notice(const TemplateSource& source);

/// find_template()'s text; a line in the log tells of one that is not the model's own.
std::string model_template(const Meta& meta, bool with_tools = false);

/// Returns the text of the built-in template of this name, or `name_or_text` itself if it looks like a template. Throws
/// kNotFound.
std::string named_template(std::string_view name_or_text);

struct BuiltinTemplate {
  std::string_view name;  // llama.cpp's: "chatml"
  std::string_view text;  // Jinja; from templates/<name>.jinja
};

/// Returns all of them, by name (generated from the folder templates/).
const std::vector<BuiltinTemplate>& builtin_templates();
/// Returns nullptr where there is none of this name.
const BuiltinTemplate* find_builtin_template(std::string_view name);

/// Returns whether the text looks like a template rather than a name of one.
bool is_template_text(std::string_view text);

}  // namespace skald
