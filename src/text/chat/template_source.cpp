#include "text/chat/template_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "text/chat/family_template.h"

namespace skald {
namespace {

// The text of a key; nullptr where it is absent, empty or none.
const std::string* text_at(const Meta& meta, std::string_view key) {
  const MetaValue* value = meta.find(key);
  const std::string* text = value ? std::get_if<std::string>(value) : nullptr;
  return text && !text->empty() ? text : nullptr;
}

}  // namespace

TemplateSource find_template(const Meta& meta, bool with_tools) {
  constexpr std::string_view kPlain = "tokenizer.chat_template", kTools = "tokenizer.chat_template.tool_use",
                             kDefault = "tokenizer.chat_template.default";
  if (const std::string* text = with_tools ? text_at(meta, kTools) : nullptr) return {*text, fmt::format("key {}", kTools)};
  for (const std::string_view key : {kPlain, kDefault})
    if (const std::string* text = text_at(meta, key)) return {*text, fmt::format("key {}", key)};
  const std::string_view family = family_template(meta);
  const BuiltinTemplate* builtin = find_builtin_template(family.empty() ? "chatml" : family);
  return {std::string(builtin->text), std::string(builtin->name), family.empty()};
}

std::string template_notice(const TemplateSource& source) {
  if (source.origin.starts_with("key ")) return {};
  if (source.guessed)
    return "the model has no chat template, and none is known for its family: ChatML is used; --chat-template names another";
  return fmt::format("the model has no chat template: that of its family is used, {}", source.origin);
}

std::string model_template(const Meta& meta, bool with_tools) {
  const TemplateSource found = find_template(meta, with_tools);
  if (const std::string notice = template_notice(found); !notice.empty()) log(LogLevel::kWarn, "{}", notice);
  return found.text;
}

std::string named_template(std::string_view name_or_text) {
  if (is_template_text(name_or_text)) return std::string(name_or_text);
  const BuiltinTemplate* builtin = find_builtin_template(name_or_text);
  if (!builtin) fail(Errc::kNotFound, "chat template \"{}\": neither the name of a built-in one nor Jinja", name_or_text);
  return std::string(builtin->text);
}

const BuiltinTemplate* find_builtin_template(std::string_view name) {
  const std::vector<BuiltinTemplate>& all = builtin_templates();
  const auto it = std::ranges::find(all, name, &BuiltinTemplate::name);
  return it == all.end() ? nullptr : &*it;
}

bool is_template_text(std::string_view text) {
  return text.find("{{") != std::string_view::npos || text.find("{%") != std::string_view::npos;
}

}  // namespace skald
