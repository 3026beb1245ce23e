// Flags: the options of one subcommand, declared once: parser, --help and checks come from the same table.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

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
/// the command has run.
class Flags {
 public:
  explicit Flags(CLI::App& app) : app_(app) {}

  void add(const char* names, std::string& value, const char* help, const char* kind = "TEXT");
  void add(const char* names, int& value, const char* help, const char* kind = "N");
  void add(const char* names, int64_t& value, const char* help, const char* kind = "N");
  void add(const char* names, uint64_t& value, const char* help, const char* kind = "N");
  void add(const char* names, float& value, const char* help, const char* kind = "X");
  /// Comma-separated counts (cli/counts.h); other numbers.
  void add(const char* names, std::vector<int64_t>& value, const char* help, const char* kind = "N,...");
  void add(const char* names, std::vector<int32_t>& value, const char* help, const char* kind = "ID,...");
  void add(const char* names, std::vector<float>& value, const char* help, const char* kind = "X,...");
  /// May be given several times.
  void add(const char* names, std::vector<std::string>& value, const char* help, const char* kind);
  /// Present or not; a name after "!" switches it off.
  void add(const char* names, bool& value, const char* help);
  /// A positional argument that must be given.
  void add_required(const char* name, std::string& value, const char* help);
  /// True when the flag was given; after parsing.
  bool given(const char* name) const;

 private:
  CLI::App& app_;
};

/// llama.cpp has short names of several letters ("-ub"), which the parser behind Flags has not: arguments with such names as
/// the parser wants them, and a help formatter that shows them as people type them.
std::vector<std::string> arguments_for_parser(int argc, char** argv);
void show_names_as_typed(CLI::App& app);

/// Parses "1,5,9" or ids separated by white space; throws UsageError naming what is not a number.
std::vector<int32_t> parse_ids(std::string_view text);

}  // namespace skald
