#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "cli/manual/completions.h"

namespace skald {
namespace {

constexpr std::string_view kModels = R"sh(
_skald_hub_models() {
  local -a names expl
  names=(${(f)"$(_call_program models skald list -o names 2>/dev/null)"})
  _wanted models expl model compadd -a names
}

_skald_models() { _alternative 'models:model:_skald_hub_models' 'files:file:_files' }
)sh";

constexpr std::string_view kMain = R"sh(
_skald() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C '(- *)--help[print this help and exit]' '(- *)--version[print the version and exit]' \
    '1:command:_skald_commands' '*::argument:->argument' && return
  [[ $state == argument ]] || return 1
  local command=$words[1]
  if (( CURRENT > 2 )) && [[ " $_skald_inner " == *" '$command $words[2]' "* ]]; then
    command+=" $words[2]"
    shift words
    (( CURRENT-- ))
  fi
  _skald_arguments "$command"
}

if [[ $funcstack[1] == _skald ]]; then _skald "$@"; else compdef _skald skald; fi
)sh";

// Inside '...', where the characters of `special` get a backslash.
std::string quoted(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += R"('\'')";
    else if (c == '\n')
      out += ' ';
    else
      out += special.find(c) == std::string_view::npos ? std::string(1, c) : std::string("\\") + c;
  }
  return out;
}

std::string action(const DeclaredFlag& flag) {
  switch (value_sort(flag)) {
    case ValueSort::kWords:
      return fmt::format("({})", fmt::join(flag.words, " "));
    case ValueSort::kModel:
      return "_skald_models";
    case ValueSort::kHubModel:
      return "_skald_hub_models";
    case ValueSort::kFile:
      return "_files";
    case ValueSort::kFolder:
      return "_files -/";
    case ValueSort::kNone:
    case ValueSort::kOther:
      break;
  }
  return " ";
}

std::string value(const DeclaredFlag& flag) {
  const std::string one = fmt::format(":{}:{}", quoted(flag.kind, ":\\"), quoted(action(flag), ":\\"));
  return flag.values == 2 ? one + one : one;
}

std::string flag_spec(const DeclaredFlag& flag) {
  std::vector<std::string> names, taking;
  for (const DeclaredFlag::Name& name : flag.names) {
    names.push_back(name.text);
    taking.push_back(name.text + (flag.takes_value && name.text.starts_with("--") ? "=" : ""));
  }
  const std::string before = flag.adds_up ? "'*'" : fmt::format("'({})'", fmt::join(names, " "));
  const std::string all = taking.size() == 1 ? taking[0] : fmt::format("{{{}}}", fmt::join(taking, ","));
  return fmt::format("{}{}'[{}]{}'", before, all, quoted(short_help(flag), "[]\\"), flag.takes_value ? value(flag) : "");
}

std::string command_case(const CommandText& command) {
  std::string specs;
  for (const FlagGroup& group : command.groups)
    for (const DeclaredFlag* flag : group.flags) specs += " \\\n      " + flag_spec(*flag);
  for (size_t i = 0; i < command.positionals.size(); ++i)
    specs += fmt::format(" \\\n      '{}{}'", i + 1, value(*command.positionals[i]));
  if (!command.inner.empty()) specs += fmt::format(" \\\n      '1:subcommand:({})'", fmt::join(command.inner, " "));
  return fmt::format("  '{}')\n    _arguments -S{} ;;\n", command.name, specs);
}

}  // namespace

std::string zsh_completions(std::span<const CommandText> commands) {
  std::string names, inner, cases;
  for (const CommandText& command : commands) {
    const bool nested = command.name.find(' ') != std::string_view::npos;
    if (nested)
      inner += fmt::format("{}'{}'", inner.empty() ? "" : " ", command.name);
    else
      names += fmt::format("    '{}:{}'\n", command.name, quoted(command.summary, ":\\"));
    cases += command_case(command);
  }
  return fmt::format(
      "#compdef skald\n# Completions of skald for zsh, made by `skald completions zsh`.\n\n_skald_inner=\"{}\"\n{}\n"
      "_skald_commands() {{\n  local -a commands\n  commands=(\n{}  )\n  _describe -t commands command commands\n}}\n\n"
      "_skald_arguments() {{\n  case $1 in\n{}  esac\n}}\n{}",
      inner, kModels, names, cases, kMain);
}

}  // namespace skald
