// The texts of each command, from the declarations of its parser and --help. The man page, the reference in Markdown and the
// shells' completions are made from them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/flags/command_words.h"

namespace skald {

/// Flags under one title, in the order of their declaration.
struct FlagGroup {
  std::string title;
  std::vector<const DeclaredFlag*> flags;

  /// Whether it says the same of the same flags.
  bool operator==(const FlagGroup& other) const;
};

struct CommandText {
  std::string_view name, summary, examples;      // as in Command
  std::vector<const DeclaredFlag*> positionals;  // in their order
  std::vector<FlagGroup> groups;                 // the one of --help is called "Options"
  std::vector<std::string_view> inner;           // "kv" of "bench": the commands below it

  /// "skald convert [OPTIONS] in out"
  std::string usage() const;
};

/// In the order of the parsers, which have to live as long.
std::vector<CommandText> command_texts(std::span<const CommandParser> parsers);

/// A group and the commands that have it.
struct SharedGroup {
  FlagGroup group;
  std::vector<std::string_view> commands;
  std::string heading;
};

/// Returns the groups that several commands have with the same flags. Of those that have one title, the one of the most
/// commands is called by it alone (`heading`), the others name their commands too.
std::vector<SharedGroup> shared_groups(std::span<const CommandText> commands);
/// Finds the one that a command has instead of flags of its own; null where it is none of them.
const SharedGroup* find_shared(std::span<const SharedGroup> shared, const FlagGroup& group);

/// Returns the text after the names of a flag: "FILE", "N=-1", or nothing.
std::string value_text(const DeclaredFlag& flag);

/// The sort of a flag's values, which a shell may offer.
enum class ValueSort { kNone, kWords, kModel, kHubModel, kFile, kFolder, kOther };
ValueSort value_sort(const DeclaredFlag& flag);

}  // namespace skald
