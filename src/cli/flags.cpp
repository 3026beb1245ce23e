#include "cli/flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <charconv>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>

#include "cli/counts.h"

namespace skald {
namespace {

constexpr std::array<std::string_view, 5> kLongShortNames = {"-ub", "-tb", "-Cr", "-ctk", "-ctv"};

// "-ub,--ubatch-size" -> "--ub,--ubatch-size"
std::string for_parser(std::string names) {
  for (std::string_view name : kLongShortNames)
    if (names.starts_with(std::string(name) + ",")) return "-" + names;
  return names;
}

class NamesAsTyped : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    std::string names = CLI::Formatter::make_option_name(option, positional);
    constexpr std::string_view kOff = "{false}";  // behind the names that switch a flag off
    if (names.ends_with(kOff)) names.resize(names.size() - kOff.size());
    for (std::string_view name : kLongShortNames)
      if (names.starts_with("-" + std::string(name) + ",")) return names.substr(1);
    return names;
  }
};

template <class T>
void declare(CLI::App& app, const char* names, T& value, const char* help, const char* kind) {
  app.add_option(for_parser(names), value, help)->type_name(kind)->capture_default_str();
}

// One argument, cut at commas.
CLI::Option* as_list(CLI::Option* option, const char* kind) {
  return option->type_name(kind)->delimiter(',')->type_size(1)->allow_extra_args(false);
}

template <class T>
void declare_list(CLI::App& app, const char* names, std::vector<T>& value, const char* help, const char* kind) {
  CLI::Option* option = as_list(app.add_option(for_parser(names), value, help), kind);
  if (!value.empty()) option->capture_default_str();
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

void Flags::add(const char* names, std::string& value, const char* help, const char* kind) {
  declare(app_, names, value, help, kind);
}
void Flags::add(const char* names, int& value, const char* help, const char* kind) {
  declare(app_, names, value, help, kind);
}
void Flags::add(const char* names, int64_t& value, const char* help, const char* kind) {
  declare(app_, names, value, help, kind);
}
void Flags::add(const char* names, uint64_t& value, const char* help, const char* kind) {
  declare(app_, names, value, help, kind);
}
void Flags::add(const char* names, float& value, const char* help, const char* kind) {
  declare(app_, names, value, help, kind);
}

void Flags::add(const char* names, std::vector<int64_t>& value, const char* help, const char* kind) {
  const std::string all(names), flag = all.substr(0, all.find(','));
  const auto take = [&value, flag](const std::vector<std::string>& items) { value = counts_of(items, flag); };
  CLI::Option* option = as_list(app_.add_option_function<std::vector<std::string>>(for_parser(names), take, help), kind);
  if (!value.empty()) option->default_str(fmt::format("[{}]", fmt::join(value, ",")));
}
void Flags::add(const char* names, std::vector<int32_t>& value, const char* help, const char* kind) {
  declare_list(app_, names, value, help, kind);
}

void Flags::add(const char* names, std::vector<float>& value, const char* help, const char* kind) {
  declare_list(app_, names, value, help, kind);
}

void Flags::add(const char* names, std::vector<std::string>& value, const char* help, const char* kind) {
  app_.add_option(for_parser(names), value, help)->type_name(kind)->type_size(1)->allow_extra_args(false);
}

void Flags::add(const char* names, bool& value, const char* help) { app_.add_flag(names, value, help); }

void Flags::add_required(const char* name, std::string& value, const char* help) {
  app_.add_option(name, value, help)->required();
}

bool Flags::given(const char* name) const { return app_.count(name) > 0; }

std::vector<std::string> arguments_for_parser(int argc, char** argv) {
  std::vector<std::string> out;
  for (int i = argc - 1; i > 0; --i) {  // the parser takes them from the back
    out.emplace_back(argv[i]);
    if (std::ranges::find(kLongShortNames, out.back()) != kLongShortNames.end()) out.back().insert(0, "-");
  }
  return out;
}

void show_names_as_typed(CLI::App& app) { app.formatter(std::make_shared<NamesAsTyped>()); }

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
