// The chat template that a command uses: that of the model, a built-in one, or the user's own.
#pragma once

#include <string>

#include "base/meta.h"
#include "cli/flags/flags.h"

namespace skald {

struct TemplateFlags {
  std::string chat_template, chat_template_file, kwargs;

  /// --chat-template, --chat-template-file and --chat-template-kwargs, below a title of their own.
  void declare(Flags& flags);
  bool given() const { return !chat_template.empty() || !chat_template_file.empty(); }
  /// Throws UsageError for two templates, and for a name that is none; `command`: its name.
  void check(const std::string& command) const;
  /// The template's text: what the flags say, else that of the model, of which a line tells where it is not its own.
  /// nullptr: there is no model. Throws Error naming a file that cannot be read.
  std::string source(const Meta* model, bool with_tools) const;
};

}  // namespace skald
