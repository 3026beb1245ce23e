// FlagTable: the flags of one command as people type them, each with all its names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class Option;
}

namespace skald {

struct DeclaredFlag {
  struct Name {
    std::string text;  // "-ub", "--ubatch-size"
    bool off;          // switches the flag off: "--no-mmap"
  };
  std::vector<Name> names;
  CLI::Option* option = nullptr;
  bool takes_value = true;
  int values = 1;                  // words that it takes, if any
  bool adds_up = false;            // given again, it is taken as well
  bool required = false;           // a positional argument that must be given
  std::string kind;                // of the value: "FILE"; "md|json": one of these words
  std::string help, group;         // what --help says, and the title over it
  std::string standard;            // the value without the flag, as --help shows it
  std::vector<std::string> words;  // values that a shell may offer

  /// The first long name that switches on, or the first that switches off; empty when there is none.
  std::string long_name(bool off = false) const;
  /// Gives the shortest long name, as errors spell the flag: "--temp".
  std::string shortest_name(bool off = false) const;
  /// Gives the first name of one dash; empty when there is none.
  std::string letter(bool off = false) const;
  /// All names, as --help shows them: "-ub,--ubatch-size".
  std::string text() const;
  /// A word of its own instead of a flag: "name".
  bool positional() const { return !names.front().text.starts_with('-'); }
};

/// Takes the first name off a list of them: "-ub" of "-ub,--ubatch-size".
std::string_view take_name(std::string_view& names);

/// Gives the names of a flag that is declared as "-ub,--ubatch-size", with "!" before a name that switches off.
DeclaredFlag flag_named(std::string_view names);

class FlagTable {
 public:
  /// `names` as they are declared: "-ub,--ubatch-size", with "!" before a name that switches off.
  DeclaredFlag& add(std::string_view names);

  /// The flag and which of its names `name` is; null where the command has none.
  struct Found {
    const DeclaredFlag* flag = nullptr;
    bool off = false;
    explicit operator bool() const { return flag != nullptr; }
  };
  Found find(std::string_view name) const;
  const DeclaredFlag* find(const CLI::Option* option) const;

  const std::vector<DeclaredFlag>& flags() const { return flags_; }
  /// The flag that was added last.
  DeclaredFlag& last() { return flags_.back(); }

 private:
  std::vector<DeclaredFlag> flags_;
};

}  // namespace skald
