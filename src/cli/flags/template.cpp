#include "cli/flags/template.h"

#include <fmt/format.h>

#include "base/terminal_text.h"
#include "cli/flags/common.h"
#include "text/chat/template_source.h"

namespace skald {

void TemplateFlags::declare(Flags& flags) {
  flags.group("Chat template");
  flags.add("--chat-template", chat_template,
            "a name that `skald template` lists, or the template itself in Jinja. Default: the model's own");
  std::vector<std::string> names;
  for (const BuiltinTemplate& t : builtin_templates()) names.emplace_back(t.name);
  flags.offer(std::move(names));
  flags.add("--chat-template-file", chat_template_file, "file with the template in Jinja", "FILE");
  flags.add("--chat-template-kwargs", kwargs, "more variables for the template, as a JSON object", "JSON");
}

void TemplateFlags::check(const std::string& command) const {
  if (!chat_template.empty() && !chat_template_file.empty())
    throw UsageError(command + ": want one of --chat-template and --chat-template-file");
  if (chat_template.empty() || is_template_text(chat_template) || find_builtin_template(chat_template)) return;
  constexpr size_t kShown = 60;
  throw UsageError(fmt::format("{}: --chat-template: \"{}\" is neither a name of `skald template --list` nor a template",
                               command, terminal_text(chat_template.substr(0, kShown))));
}

std::string TemplateFlags::source(const Meta* model, bool with_tools) const {
  if (!chat_template_file.empty()) return read_text(chat_template_file);
  return chat_template.empty() ? model_template(*model, with_tools) : named_template(chat_template);
}

}  // namespace skald
