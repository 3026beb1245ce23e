#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/manual/completions.h"

namespace skald {
namespace {

// The functions that do not depend on the commands. A word may be in pieces: bash cuts at ":" and "=".
constexpr std::string_view kFunctions = R"sh(
# Values of a sort that begin with a text. $1: the program, $2: what is typed.
_skald_offer() {
  case $sort in
  words) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$2") ;;
  model | hub)
    mapfile -t COMPREPLY < <(compgen -W "$("${1/#\~/$HOME}" list -o names 2>/dev/null)" -- "$2")
    [[ $sort == hub ]] && return
    [[ ${#COMPREPLY[@]} -gt 0 ]] && mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$2")
    compopt -o default -o filenames 2>/dev/null ;;
  file) compopt -o default 2>/dev/null ;;
  folder) compopt -o dirnames 2>/dev/null ;;
  esac
}

# The words before the cursor, of which bash has cut some at ":" and "=".
_skald_typed() {
  local i piece joined=
  typed=()
  for ((i = 1; i <= COMP_CWORD; i++)); do
    piece=${COMP_WORDS[i]}
    if [[ ${#typed[@]} -gt 0 && ( $joined || $piece == [:=]* ) ]]; then
      typed[-1]+=$piece
    else
      typed+=("$piece")
    fi
    [[ $piece == *[:=] ]] && joined=1 || joined=
  done
}

_skald() {
  local typed word command= flag= position=0 sort words flags inner
  COMPREPLY=()
  _skald_typed
  local current=${typed[-1]}
  for word in "${typed[@]:0:${#typed[@]}-1}"; do
    if [[ -z $command ]]; then
      command=$word
      _skald_command "$command"
    elif [[ -n $flag ]]; then
      flag=
    elif [[ $word == -* ]]; then
      _skald_value "$command" "$word"
      [[ $sort != none && $word != *=* ]] && flag=$word
    elif [[ $position == 0 && " $inner " == *" $word "* ]]; then
      command+=" $word"
      _skald_command "$command"
    else
      position=$((position + 1))
    fi
  done
  if [[ -z $command ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$_skald_commands --help --version" -- "$current")
  elif [[ -n $flag ]]; then
    _skald_value "$command" "$flag"
    _skald_offer "$1" "$current"
  elif [[ $current == -*=* ]]; then
    _skald_value "$command" "${current%%=*}"
    _skald_offer "$1" "${current#*=}"
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$current")
  else
    _skald_value "$command" $((position + 1))
    _skald_offer "$1" "$current"
    [[ $position == 0 ]] && mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$inner" -- "$current")
  fi
  # Of a word that bash cuts it wants the last piece.
  if [[ $current == *:* && $current != *=* && $COMP_WORDBREAKS == *:* ]]; then
    COMPREPLY=("${COMPREPLY[@]#"${current%"${current##*:}"}"}")
  fi
}

complete -F _skald skald
)sh";

std::string sort_text(const DeclaredFlag& flag) {
  switch (value_sort(flag)) {
    case ValueSort::kNone:
      return "none";
    case ValueSort::kWords:
      return fmt::format("words words='{}'", fmt::join(flag.words, " "));
    case ValueSort::kModel:
      return "model";
    case ValueSort::kHubModel:
      return "hub";
    case ValueSort::kFile:
      return "file";
    case ValueSort::kFolder:
      return "folder";
    case ValueSort::kOther:
      break;
  }
  return "other";
}

std::string names_text(const DeclaredFlag& flag, const char* separator) {
  std::string out;
  for (const DeclaredFlag::Name& name : flag.names) out += (out.empty() ? "" : separator) + name.text;
  return out;
}

// The flags of a command and the commands below it.
std::string command_case(const CommandText& command) {
  std::string flags;
  for (const FlagGroup& group : command.groups)
    for (const DeclaredFlag* flag : group.flags) flags += (flags.empty() ? "" : " ") + names_text(*flag, " ");
  return fmt::format("  '{}')\n    flags='{}' inner='{}' ;;\n", command.name, flags, fmt::join(command.inner, " "));
}

// The values that may follow each flag, and each word.
std::string value_case(const CommandText& command) {
  std::string rows;
  for (const FlagGroup& group : command.groups)
    for (const DeclaredFlag* flag : group.flags)
      if (flag->takes_value) rows += fmt::format("    {}) sort={} ;;\n", names_text(*flag, " | "), sort_text(*flag));
  for (size_t i = 0; i < command.positionals.size(); ++i)
    rows += fmt::format("    {}) sort={} ;;\n", i + 1, sort_text(*command.positionals[i]));
  return rows.empty() ? "" : fmt::format("  '{}')\n    case $2 in\n{}    esac ;;\n", command.name, rows);
}

}  // namespace

std::string bash_completions(std::span<const CommandText> commands) {
  std::string names, all, values;
  for (const CommandText& command : commands) {
    if (command.name.find(' ') == std::string_view::npos) names += (names.empty() ? "" : " ") + std::string(command.name);
    all += command_case(command);
    values += value_case(command);
  }
  return fmt::format(
      "# Completions of skald for bash, made by `skald completions bash`.\n\n_skald_commands='{}'\n\n"
      "# Sets flags and inner: of a command, and the commands below it.\n_skald_command() {{\n  flags= inner=\n"
      "  case $1 in\n{}  esac\n}}\n\n"
      "# Sets sort and words: what follows a flag of a command, or is its n-th word; none: nothing.\n_skald_value() {{\n"
      "  sort=none words=\n  case $1 in\n{}  esac\n}}\n{}",
      names, all, values, kFunctions);
}

}  // namespace skald
