#include "cli/flags/command_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>

#include "base/terminal_text.h"
#include "cli/command.h"
#include "cli/flags/environment.h"
#include "cli/flags/llama.h"
#include "cli/flags/suggest.h"

namespace skald {
namespace {

bool is_flag(std::string_view word) { return word.size() > 1 && word.starts_with('-'); }

std::string did_you_mean(const std::string& nearest) {
  return nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest);
}

const CommandParser* find_parser(std::span<const CommandParser> parsers, std::string_view name) {
  const auto at = std::ranges::find_if(parsers, [&](const CommandParser& p) { return p.command->name == name; });
  return at == parsers.end() ? nullptr : &*at;
}

// One command's part of the line.
class Walk {
 public:
  Walk(std::span<const CommandParser> parsers, const CommandParser& first, std::span<char* const> rest)
      : parsers_(parsers), at_(&first), rest_(rest.begin(), rest.end()) {
    words_.emplace_back(first.command->name);
  }

  std::vector<std::string> words() {
    while (!rest_.empty()) take_word();
    if (const DeclaredFlag* first = table().find("name").flag; first && !positionals_.empty()) given_.push_back(first);
    std::ranges::move(words_of_environment(at_->flags.table(), at_->command->name, given_, taken_),
                      std::back_inserter(words_));
    check_positionals();
    // After this mark, words are no flags whatever they begin with.
    if (std::ranges::any_of(positionals_, is_flag)) words_.emplace_back("--");
    std::ranges::move(positionals_, std::back_inserter(words_));
    return std::move(words_);
  }

 private:
  std::string next() {
    std::string word(rest_.front());
    rest_.erase(rest_.begin());
    return word;
  }

  void take_word() {
    const std::string word = next();
    if (word == "--") {
      while (!rest_.empty()) positionals_.push_back(next());
      return;
    }
    if (is_flag(word)) return take_flag(word);
    if (const CommandParser* inner = find_parser(parsers_, fmt::format("{} {}", at_->command->name, word))) {
      at_ = inner;
      words_.push_back(word);
      return;
    }
    positionals_.push_back(word);
  }

  // A flag, or a flag and its value as one word: "--temp=0".
  void take_flag(const std::string& word) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    std::optional<std::string> value;
    if (equals != std::string::npos) value = word.substr(equals + 1);
    if (const FlagTable::Found found = table().find(name)) return take_own(found, name, value);
    if (takes_llama_flags(table()))
      if (const LlamaFlag* flag = find_llama_flag(name)) return take_llama(*flag, word, value);
    fail_unknown(name);
  }

  void take_own(FlagTable::Found found, const std::string& name, std::optional<std::string> value) {
    const DeclaredFlag& flag = *found.flag;
    given_.push_back(&flag);
    const std::string long_name = flag.long_name(found.off);
    if (!flag.takes_value) {
      if (value) throw UsageError(fmt::format("{}: {} takes no value", command(), name));
      words_.push_back(long_name);
      return;
    }
    if (!value) {
      value = value_of(name, flag.kind);
      if (flag.values == 2 && value->find(',') == value->npos) *value += " " + value_of(name, flag.kind);
    }
    if (!value->empty()) {
      words_.push_back(long_name + "=" + *value);
    } else {
      words_.push_back(long_name);
      words_.emplace_back();
    }
  }

  std::string value_of(const std::string& name, std::string_view kind) {
    if (rest_.empty()) throw UsageError(fmt::format("{}: {} wants a value: {}", command(), name, kind));
    if (table().find(rest_.front()))
      throw UsageError(fmt::format("{}: {} wants a value, but {} is a flag; if it is meant, write {}={}", command(), name,
                                   rest_.front(), name, rest_.front()));
    return next();
  }

  void take_llama(const LlamaFlag& flag, const std::string& word, std::optional<std::string> value) {
    taken_.push_back(&flag);
    std::string written = word;
    const auto take = [&] {
      if (rest_.empty()) throw UsageError(fmt::format("{}: {} wants a value", command(), word));
      value = next();
      written += " " + *value;
    };
    using Value = LlamaFlag::Value;
    const bool maybe = flag.value == Value::kMaybe && !rest_.empty() && !is_flag(rest_.front());
    if (!value && (flag.value == Value::kOne || maybe)) take();
    take_llama_flag(flag, command(), written, value.value_or(""));
  }

  [[noreturn]] void fail_unknown(const std::string& name) const {
    std::vector<std::string> known;
    for (const DeclaredFlag& flag : table().flags())
      for (const DeclaredFlag::Name& n : flag.names) known.push_back(n.text);
    std::string hint = other_commands(name);
    if (name == "--version") hint = "; want skald --version";
    if (hint.empty()) hint = did_you_mean(near(name, known));
    throw UsageError(fmt::format("{}: unknown flag {}{}", command(), terminal_text(name), hint));
  }

  // "-n5" is "-n" and its value.
  std::string near(const std::string& name, const std::vector<std::string>& known) const {
    if (const FlagTable::Found glued = table().find(name.substr(0, 2)); glued && glued.flag->takes_value && name[1] != '-')
      return fmt::format("'{} {}'", name.substr(0, 2), terminal_text(name.substr(2)));
    return name.size() > 2 ? nearest_word(name, known) : "";  // of one letter, all others are near
  }

  std::string other_commands(const std::string& name) const {
    std::vector<std::string_view> names;
    for (const CommandParser& p : parsers_)
      if (p.flags.table().find(name)) names.push_back(p.command->name);
    return names.empty() ? "" : fmt::format("; it is a flag of {}", fmt::join(names, ", "));
  }

  void check_positionals() const {
    const auto options = at_->app->get_options([](const CLI::Option* o) { return o->get_positional(); });
    if (positionals_.size() > options.size()) fail_left_over(positionals_[options.size()]);
  }

  // It may be a mistyped command that belongs to this one: "bench vk".
  [[noreturn]] void fail_left_over(const std::string& word) const {
    std::vector<std::string> inner;
    for (const CommandParser& p : parsers_)
      if (p.command->name.starts_with(std::string(command()) + " "))
        inner.emplace_back(p.command->name.substr(command().size() + 1));
    throw UsageError(fmt::format("{}: unknown word '{}': it is not expected here{}", command(), terminal_text(word),
                                 did_you_mean(nearest_word(word, inner))));
  }

  const FlagTable& table() const { return at_->flags.table(); }
  std::string_view command() const { return at_->command->name; }

  std::span<const CommandParser> parsers_;
  const CommandParser* at_;
  std::vector<std::string> rest_;  // what is still to be read
  std::vector<std::string> words_, positionals_;
  std::vector<const DeclaredFlag*> given_;
  std::vector<const LlamaFlag*> taken_;
};

[[noreturn]] void fail_unknown_command(std::span<const CommandParser> parsers, std::string_view word) {
  std::vector<std::string> names, near = {"--help", "--version"};
  for (const CommandParser& p : parsers)
    if (p.command->name.find(' ') == std::string_view::npos) names.emplace_back(p.command->name);
  throw UsageError(fmt::format("unknown {} '{}'{}{}\nCommands: {}", is_flag(word) ? "flag" : "command", terminal_text(word),
                               did_you_mean(nearest_word(word, is_flag(word) ? near : names)),
                               is_flag(word) ? "; flags come after a command: skald run -p ..." : "",
                               fmt::join(names, ", ")));
}

// Words that other programs have for the same.
std::string_view own_word(std::string_view word) { return word == "ls" ? "list" : word; }

// "help run" is "run --help".
std::vector<std::string> help_words(std::span<const CommandParser> parsers, std::span<char* const> of) {
  if (of.empty()) return {"--help"};
  const CommandParser* const parser = find_parser(parsers, own_word(of[0]));
  if (!parser) fail_unknown_command(parsers, of[0]);
  std::vector<std::string> words = Walk(parsers, *parser, of.subspan(1)).words();
  words.emplace_back("--help");
  return words;
}

}  // namespace

std::vector<std::string> command_words(std::span<const CommandParser> parsers, std::span<char* const> arguments) {
  const std::string_view first = own_word(arguments[0]);
  if (first == "-h" || first == "--help" || first == "--usage") return {"--help"};
  if (first == "--version" || first == "version") return {"--version"};
  if (first == "help") return help_words(parsers, arguments.subspan(1));
  const CommandParser* const parser = find_parser(parsers, first);
  if (!parser) fail_unknown_command(parsers, first);
  return Walk(parsers, *parser, arguments.subspan(1)).words();
}

}  // namespace skald
