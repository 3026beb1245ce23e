#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <string_view>

#include "cli/command_line.h"
#include "cli/manual/pages.h"

namespace skald {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  bool in_code = false;
  for (const char c : text) {
    in_code = in_code != (c == '`');
    if (!in_code && std::string_view("\\*_<>[]").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// Below a list's item, lines stay lines.
std::string help_text(std::string_view help) {
  std::string out;
  for (size_t at = 0; at <= help.size();) {
    const size_t end = std::min(help.find('\n', at), help.size());
    const std::string_view line = help.substr(at, end - at);
    out += at > 0 ? "\n  - " + escaped(line) : escaped(line);
    at = end + 1;
  }
  return out;
}

std::string entry(const DeclaredFlag& flag) {
  std::string names;
  for (const DeclaredFlag::Name& name : flag.names) names += (names.empty() ? "" : ", ") + name.text;
  const std::string value = value_text(flag);
  return fmt::format("- `{}{}{}`: {}\n", names, value.empty() ? "" : " ", value, help_text(flag.help));
}

std::string entries(std::span<const DeclaredFlag* const> flags) {
  std::string out;
  for (const DeclaredFlag* flag : flags) out += entry(*flag);
  return out;
}

// The name of a title in links.
std::string anchor(std::string_view title) {
  std::string out;
  for (const char c : title) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '-')
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (c == ' ') out += '-';
  }
  return out;
}

std::string code(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    out += fmt::format("{}\n", line.substr(std::min<size_t>(2, line.size())));
    at = end + 1;
  }
  return fmt::format("```\n{}```\n", out);
}

std::string section_of(const CommandText& command, std::span<const SharedGroup> shared) {
  std::string out = fmt::format("\n## skald {}\n\n{}: `{}`\n", command.name, escaped(command.summary), command.usage());
  if (!command.positionals.empty()) out += "\n" + entries(command.positionals);
  std::vector<std::string> elsewhere;
  for (const FlagGroup& group : command.groups) {
    if (const SharedGroup* at = find_shared(shared, group))
      elsewhere.push_back(fmt::format("[{}](#{})", group.title, anchor(at->heading)));
    else
      out += fmt::format("\n{}:\n\n{}", group.title, entries(group.flags));
  }
  if (!elsewhere.empty()) out += fmt::format("\nFurther flags:\n\n- {}\n", fmt::join(elsewhere, "\n- "));
  return out + "\n" + code(command.examples);
}

std::string shared_section(const SharedGroup& group) {
  return fmt::format("\n### {}\n\nOf {}.\n\n{}", group.heading, fmt::join(group.commands, ", "), entries(group.group.flags));
}

}  // namespace

std::string manual_markdown(std::span<const CommandText> commands) {
  const std::vector<SharedGroup> shared = shared_groups(commands);
  std::string table, sections, below;
  for (const CommandText& command : commands) {
    table += fmt::format("| [skald {}](#{}) | {} |\n", command.name, anchor(fmt::format("skald {}", command.name)),
                         escaped(command.summary));
    sections += section_of(command, shared);
  }
  for (const SharedGroup& group : shared) below += shared_section(group);
  return fmt::format(
      "# The command line\n\nMade by `skald man -o md` from the texts of `--help`; [flags.md](flags.md) has the differences "
      "from llama.cpp. `N=0` is a number whose default is 0; of `md|json` one word is wanted.\n\n"
      "| command | does |\n|---|---|\n{}\nEnvironment: {}\n\nExit codes: {}\n{}\n## Flags of several commands\n{}",
      table, escaped(kEnvironmentText), kExitCodesText, sections, below);
}

}  // namespace skald
