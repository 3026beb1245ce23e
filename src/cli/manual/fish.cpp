#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "cli/manual/completions.h"

namespace skald {
namespace {

constexpr std::string_view kFunctions = R"sh(
# Whether the command that was typed is the argument; without an argument, whether none was.
function __skald_is
    set -l typed (commandline -opc)
    set -e typed[1]
    set -l command $typed[1]
    if test (count $typed) -gt 1; and contains -- "$typed[1] $typed[2]" $__skald_inner
        set command "$typed[1] $typed[2]"
    end
    test "$command" = "$argv[1]"
end

function __skald_models
    skald list -o names 2>/dev/null
end

complete -c skald -f
complete -c skald -n __skald_is -l help -d 'print this help and exit'
complete -c skald -n __skald_is -l version -d 'print the version and exit'
)sh";

std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "'";
}

// "-r -F": the sort of its value.
std::string value(const DeclaredFlag& flag) {
  switch (value_sort(flag)) {
    case ValueSort::kNone:
      return "";
    case ValueSort::kWords:
      return fmt::format(" -x -a '{}'", fmt::join(flag.words, " "));
    case ValueSort::kModel:
      return " -r -F -a '(__skald_models)'";
    case ValueSort::kHubModel:
      return " -x -a '(__skald_models)'";
    case ValueSort::kFile:
      return " -r -F";
    case ValueSort::kFolder:
      return " -x -a '(__fish_complete_directories)'";
    case ValueSort::kOther:
      break;
  }
  return " -x";
}

// "-m" is short, "-ub" of the old kind, "--model" long.
std::string names(const DeclaredFlag& flag) {
  std::string out;
  for (const DeclaredFlag::Name& name : flag.names) {
    const bool long_name = name.text.starts_with("--");
    out += fmt::format(" {} {}",
                       long_name               ? "-l"
                       : name.text.size() == 2 ? "-s"
                                               : "-o",
                       name.text.substr(long_name ? 2 : 1));
  }
  return out;
}

std::string lines_of(const CommandText& command) {
  const std::string begin = fmt::format("complete -c skald -n '__skald_is \"{}\"'", command.name);
  std::string out;
  for (const FlagGroup& group : command.groups)
    for (const DeclaredFlag* flag : group.flags)
      out += fmt::format("{}{}{} -d {}\n", begin, names(*flag), value(*flag), fish_quoted(short_help(*flag)));
  for (const DeclaredFlag* positional : command.positionals)
    if (value_sort(*positional) != ValueSort::kOther) out += fmt::format("{}{}\n", begin, value(*positional));
  if (!command.inner.empty()) out += fmt::format("{} -a '{}'\n", begin, fmt::join(command.inner, " "));
  return out;
}

}  // namespace

std::string fish_completions(std::span<const CommandText> commands) {
  std::string inner, top, lines;
  for (const CommandText& command : commands) {
    if (command.name.find(' ') != std::string_view::npos)
      inner += fmt::format(" '{}'", command.name);
    else
      top += fmt::format("complete -c skald -n __skald_is -a {} -d {}\n", command.name, fish_quoted(command.summary));
    lines += lines_of(command);
  }
  return fmt::format(
      "# Completions of skald for fish, made by `skald completions fish`.\n\nset -g __skald_inner{}\n{}\n{}\n{}", inner,
      kFunctions, top, lines);
}

}  // namespace skald
