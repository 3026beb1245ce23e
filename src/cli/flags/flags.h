// Flags: the options of one subcommand, declared once: parser, --help and checks come from the same table.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/flags/flag_table.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace skald {

/// Wrong usage: a missing, contradictory or out-of-range flag. The program ends with exit code 2.
class UsageError : public std::exception {
 public:
  explicit UsageError(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

/// Declarations bind a flag to a variable, whose value then is the default that --help shows. The variable must live until
/// the command has run. Of a flag that is given twice the last counts; lists add up.
class Flags {
 public:
  explicit Flags(CLI::App& app);

  /// The title under which --help shows the flags that are declared next.
  void group(const char* title);

  /// An empty argument is refused, except for a TEXT. Of a kind as "md|json" all words but these are refused.
  void add(const char* names, std::string& value, const char* help, const char* kind = "TEXT");
  void add(const char* names, int& value, const char* help, const char* kind = "N");
  void add(const char* names, int64_t& value, const char* help, const char* kind = "N");
  void add(const char* names, uint64_t& value, const char* help, const char* kind = "N");
  void add(const char* names, float& value, const char* help, const char* kind = "X");
  /// Two numbers, each a word of its own, or both in one word with a comma between them.
  void add_pair(const char* names, int64_t& first, int64_t& second, const char* help, const char* kind);
  /// Comma-separated counts (cli/flags/counts.h); other numbers.
  void add(const char* names, std::vector<int64_t>& value, const char* help, const char* kind = "N,...");
  void add(const char* names, std::vector<float>& value, const char* help, const char* kind = "X,...");
  /// May be given several times.
  void add(const char* names, std::vector<std::string>& value, const char* help, const char* kind);
  /// Present or not; a name after "!" switches it off.
  void add(const char* names, bool& value, const char* help);
  /// A positional argument that must be given.
  void add_required(const char* name, std::string& value, const char* help, const char* kind = "FILE");
  /// Values that a shell offers for the flag that was declared last, beside which others are taken too.
  void offer(std::vector<std::string> words);
  /// True when the flag was given, on the command line or in the environment; after parsing.
  bool given(const char* name) const;

  const FlagTable& table() const { return *table_; }

 private:
  using Arguments = std::vector<std::string>;
  /// Of the flag's names and all arguments that it was given, at least one.
  using Take = std::function<void(const std::string& names, const Arguments&)>;
  CLI::Option& take(const char* names, const Take& take, const char* help, const char* kind, const std::string& shown);

  CLI::App& app_;
  std::shared_ptr<FlagTable> table_;  // of all copies
  std::string group_ = "Options";
};

/// Parses "1,5,9" or ids separated by white space; throws UsageError naming what is not a number.
std::vector<int32_t> parse_ids(std::string_view text);

}  // namespace skald
