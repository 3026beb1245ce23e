// Flags of a chat, for one answer or many: its template, system message, tools and reasoning.
#pragma once

#include <optional>
#include <string>

#include "cli/flags/flags.h"
#include "cli/flags/template.h"
#include "tools/chat/chat_session.h"

namespace skald {

class ChatFlags {
 public:
  TemplateFlags chat_template;

  /// -sys, --tools, --tool-choice and their kin, below the title that was set last.
  void declare(Flags& flags);
  /// --reasoning-format, --reasoning-budget and --reasoning-effort, below a title of their own.
  void declare_reasoning(Flags& flags);

  /// Whether any of them was given, the template's among them.
  bool given(const Flags& flags) const;
  /// Throws UsageError naming the command for values that are none, and for two flags that say the same.
  void check(const std::string& command, const Flags& flags) const;
  /// What the flags say, over what is there; files that they name are read. Throws UsageError and Error naming flag or file.
  void fill(const std::string& command, const Flags& flags, ChatOptions& options) const;
  /// The system message, if there is one; `escape`: of a flag's text, escapes are what they stand for.
  std::optional<std::string> system_message(const Flags& flags, bool escape) const;

 private:
  void fill_tool_choice(const std::string& command, ChatOptions& options) const;
  nlohmann::ordered_json kwargs(const std::string& command) const;

  std::string system_, system_file_, tools_, tool_choice_ = "auto";
  bool parallel_calls_ = true;
  std::string reasoning_format_ = "auto", reasoning_effort_;
  int64_t reasoning_budget_ = -1;
};

}  // namespace skald
