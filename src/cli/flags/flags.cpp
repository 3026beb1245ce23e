#include "cli/flags/flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <memory>

#include "base/terminal_text.h"
#include "cli/flags/counts.h"
#include "cli/flags/values.h"

namespace skald {
namespace {

class NamesAsTyped : public CLI::Formatter {
 public:
  explicit NamesAsTyped(std::shared_ptr<const FlagTable> table) : table_(std::move(table)) {}
  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    const DeclaredFlag* flag = table_->find(option);
    return flag ? flag->text() : CLI::Formatter::make_option_name(option, positional);
  }

 private:
  std::shared_ptr<const FlagTable> table_;
};

// The parser knows a flag by its long names alone; of a positional argument the name has no dash.
std::string names_for_parser(const DeclaredFlag& flag) {
  std::string out;
  for (const DeclaredFlag::Name& name : flag.names)
    if (name.text.starts_with("--") || !name.text.starts_with('-'))
      out += fmt::format("{}{}{}", out.empty() ? "" : ",", name.off ? "!" : "", name.text);
  return out;
}

std::vector<std::string> split_at_commas(const std::string& flag, const std::vector<std::string>& arguments) {
  std::vector<std::string> items;
  for (const std::string& argument : arguments) std::ranges::copy(comma_list(flag, argument), std::back_inserter(items));
  return items;
}

// "md|json" has two; a kind without a bar has none.
std::vector<std::string> words_of(std::string_view kind) {
  std::vector<std::string> words;
  if (kind.find('|') == std::string_view::npos) return words;
  for (size_t at = 0; at <= kind.size();) {
    const size_t end = std::min(kind.find('|', at), kind.size());
    words.emplace_back(kind.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// "bench kv"
std::string command_of(const CLI::App& app) {
  const CLI::App* const parent = app.get_parent();
  return parent && parent->get_parent() ? parent->get_name() + " " + app.get_name() : app.get_name();
}

void want_one_of(const std::vector<std::string>& words, const CLI::App& app, const std::string& flag,
                 const std::string& given) {
  if (words.empty() || std::ranges::find(words, given) != words.end()) return;
  const auto last = words.end() - 1;
  throw UsageError(fmt::format("{}: {}: '{}': want {} or {}", command_of(app), flag, terminal_text(given),
                               fmt::join(words.begin(), last, ", "), *last));
}

void refuse_empty(const std::string& flag, const std::vector<std::string>& arguments) {
  if (std::ranges::find(arguments, "") != arguments.end()) throw UsageError(flag + ": the argument is empty");
}

// Errors name the flag.
std::vector<int64_t> counts_of(const std::vector<std::string>& items, const std::string& flag) {
  std::vector<int64_t> counts;
  try {
    for (const std::string& item : items) std::ranges::copy(parse_counts(item), std::back_inserter(counts));
  } catch (const UsageError& e) {
    throw UsageError(flag + ": " + e.what());
  }
  return counts;
}

}  // namespace

Flags::Flags(CLI::App& app) : app_(app), table_(std::make_shared<FlagTable>()) {
  app.formatter(std::make_shared<NamesAsTyped>(table_));
  DeclaredFlag& help = table_->add("-h,--help,--usage");
  help.takes_value = false;
  help.help = "print this help and exit";
  help.group = group_;
  help.option = app.set_help_flag(names_for_parser(help), help.help);
}

void Flags::group(const char* title) { group_ = title; }

CLI::Option& Flags::take(const char* names, const Take& take, const char* help, const char* kind, const std::string& shown) {
  DeclaredFlag& flag = table_->add(names);
  const auto parsed = [name = flag.text(), empty_too = std::string_view(kind) == "TEXT",
                       take](const CLI::results_t& arguments) {
    if (!empty_too) refuse_empty(name, arguments);
    take(name, arguments);
    return true;
  };
  flag.kind = kind;
  flag.help = help;
  flag.group = group_;
  flag.standard = shown;
  flag.option = app_.add_option(names_for_parser(flag), parsed, help)->type_name(kind)->group(group_);
  flag.option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->default_str(shown);
  return *flag.option;
}

void Flags::add(const char* names, std::string& value, const char* help, const char* kind) {
  const auto read = [&value, &app = app_, words = words_of(kind)](const std::string& flag, const Arguments& arguments) {
    want_one_of(words, app, flag, arguments.back());
    value = arguments.back();
  };
  take(names, read, help, kind, value);
  offer(words_of(kind));
}
void Flags::add(const char* names, int& value, const char* help, const char* kind) {
  take(
      names, [&value](const std::string& flag, const Arguments& a) { value = whole_number<int>(flag, a.back()); }, help,
      kind, fmt::to_string(value));
}
void Flags::add(const char* names, int64_t& value, const char* help, const char* kind) {
  take(
      names, [&value](const std::string& flag, const Arguments& a) { value = whole_number<int64_t>(flag, a.back()); }, help,
      kind, fmt::to_string(value));
}
void Flags::add(const char* names, uint64_t& value, const char* help, const char* kind) {
  take(
      names, [&value](const std::string& flag, const Arguments& a) { value = whole_number<uint64_t>(flag, a.back()); }, help,
      kind, fmt::to_string(value));
}
void Flags::add(const char* names, float& value, const char* help, const char* kind) {
  take(
      names, [&value](const std::string& flag, const Arguments& a) { value = number(flag, a.back()); }, help, kind,
      fmt::to_string(value));
}

// The words of a pair come as one, with a space or a comma between them.
void Flags::add_pair(const char* names, int64_t& first, int64_t& second, const char* help, const char* kind) {
  const auto read = [&first, &second, kind](const std::string& flag, const Arguments& a) {
    const size_t gap = a.back().find_first_of(" ,");
    if (gap == std::string::npos)
      throw UsageError(fmt::format("{}: want {}, got '{}'", flag, kind, terminal_text(a.back())));
    first = whole_number<int64_t>(flag, a.back().substr(0, gap));
    second = whole_number<int64_t>(flag, a.back().substr(gap + 1));
  };
  take(names, read, help, kind, "");
  table_->last().values = 2;
}

void Flags::add(const char* names, std::vector<int64_t>& value, const char* help, const char* kind) {
  take(
      names, [&value](const std::string& flag, const Arguments& a) { value = counts_of(split_at_commas(flag, a), flag); },
      help, kind, value.empty() ? "" : fmt::format("[{}]", fmt::join(value, ",")));
}
void Flags::add(const char* names, std::vector<float>& value, const char* help, const char* kind) {
  const auto read = [&value](const std::string& flag, const Arguments& a) {
    value.clear();
    for (const std::string& item : split_at_commas(flag, a)) value.push_back(number(flag, item));
  };
  take(names, read, help, kind, value.empty() ? "" : fmt::format("[{}]", fmt::join(value, ",")));
}

void Flags::add(const char* names, std::vector<std::string>& value, const char* help, const char* kind) {
  take(
      names, [&value](const std::string&, const Arguments& arguments) { value = arguments; }, help, kind, "");
  table_->last().adds_up = true;
}

void Flags::add(const char* names, bool& value, const char* help) {
  DeclaredFlag& flag = table_->add(names);
  flag.takes_value = false;
  flag.help = help;
  flag.group = group_;
  flag.option = app_.add_flag(names_for_parser(flag), value, help)->group(group_);
}

void Flags::add_required(const char* name, std::string& value, const char* help, const char* kind) {
  add(name, value, help, kind);
  DeclaredFlag& flag = table_->last();
  flag.required = true;
  flag.option->required();
}

void Flags::offer(std::vector<std::string> words) { table_->last().words = std::move(words); }

bool Flags::given(const char* name) const {
  const FlagTable::Found found = table_->find(name);
  return found && found.flag->option->count() > 0;
}

std::vector<int32_t> parse_ids(std::string_view text) {
  constexpr std::string_view kSeparators = ", \t\r\n";
  std::vector<int32_t> ids;
  for (size_t at = text.find_first_not_of(kSeparators); at != std::string_view::npos;
       at = text.find_first_not_of(kSeparators, at)) {
    const size_t end = std::min(text.find_first_of(kSeparators, at), text.size());
    int32_t id = 0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, id);
    if (error != std::errc{} || stop != text.data() + end)
      throw UsageError("'" + std::string(text.substr(at, std::min<size_t>(end - at, 40))) + "' is not a token id");
    ids.push_back(id);
    at = end;
  }
  return ids;
}

}  // namespace skald
