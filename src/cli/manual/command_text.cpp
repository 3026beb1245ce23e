#include "cli/manual/command_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/command.h"

namespace skald {
namespace {

bool says_the_same(const DeclaredFlag* a, const DeclaredFlag* b) {
  return a->text() == b->text() && a->help == b->help && value_text(*a) == value_text(*b);
}

void add_to_group(std::vector<FlagGroup>& groups, const DeclaredFlag& flag) {
  auto at = std::ranges::find(groups, flag.group, &FlagGroup::title);
  if (at == groups.end()) at = groups.insert(at, {.title = flag.group, .flags = {}});
  at->flags.push_back(&flag);
}

CommandText text_of(const CommandParser& parser, std::span<const CommandParser> all) {
  CommandText out{.name = parser.command->name,
                  .summary = parser.command->summary,
                  .examples = parser.command->examples,
                  .positionals = {},
                  .groups = {},
                  .inner = {}};
  for (const DeclaredFlag& flag : parser.flags.table().flags())
    if (flag.positional())
      out.positionals.push_back(&flag);
    else
      add_to_group(out.groups, flag);
  for (const CommandParser& other : all)
    if (other.command->name.starts_with(std::string(out.name) + " "))
      out.inner.push_back(other.command->name.substr(out.name.size() + 1));
  return out;
}

std::string heading_of(const SharedGroup& group, std::span<const SharedGroup> all) {
  const bool alone = std::ranges::none_of(all, [&](const SharedGroup& other) {
    return other.group.title == group.group.title && other.commands.size() > group.commands.size();
  });
  return alone ? group.group.title : fmt::format("{} of {}", group.group.title, fmt::join(group.commands, ", "));
}

}  // namespace

bool FlagGroup::operator==(const FlagGroup& other) const {
  return title == other.title && std::ranges::equal(flags, other.flags, says_the_same);
}

std::string CommandText::usage() const {
  std::string out = "skald " + std::string(name) + " [OPTIONS]";
  for (const DeclaredFlag* p : positionals) out += p->required ? " " + p->text() : " [" + p->text() + "]";
  if (!inner.empty()) out += " [SUBCOMMAND]";
  return out;
}

std::vector<CommandText> command_texts(std::span<const CommandParser> parsers) {
  std::vector<CommandText> out;
  for (const CommandParser& parser : parsers) out.push_back(text_of(parser, parsers));
  return out;
}

std::vector<SharedGroup> shared_groups(std::span<const CommandText> commands) {
  std::vector<SharedGroup> all;
  for (const CommandText& command : commands)
    for (const FlagGroup& group : command.groups) {
      auto at = std::ranges::find(all, group, &SharedGroup::group);
      if (at == all.end()) at = all.insert(at, {.group = group, .commands = {}, .heading = {}});
      at->commands.push_back(command.name);
    }
  std::erase_if(all, [](const SharedGroup& g) { return g.commands.size() < 2; });
  for (SharedGroup& g : all) g.heading = heading_of(g, all);
  return all;
}

const SharedGroup* find_shared(std::span<const SharedGroup> shared, const FlagGroup& group) {
  const auto at = std::ranges::find(shared, group, &SharedGroup::group);
  return at == shared.end() ? nullptr : &*at;
}

std::string value_text(const DeclaredFlag& flag) {
  return flag.standard.empty() ? flag.kind : flag.kind + "=" + flag.standard;
}

ValueSort value_sort(const DeclaredFlag& flag) {
  if (!flag.takes_value && !flag.positional()) return ValueSort::kNone;
  if (!flag.words.empty()) return ValueSort::kWords;
  if (flag.kind == "MODEL") return ValueSort::kModel;
  if (flag.kind.starts_with("USER/REPO")) return ValueSort::kHubModel;
  if (flag.kind.starts_with("FILE")) return ValueSort::kFile;
  return flag.kind == "DIR" ? ValueSort::kFolder : ValueSort::kOther;
}

}  // namespace skald
