// Every option is set by its flag and by its member in C, within its range, and errors name its flag: a loop over the rows
// of stepping/option_table.h.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "api/c_request.h"
#include "cli/command_line.h"
#include "cli/flags/common.h"
#include "cli/flags/table_flags.h"
#include "skald/c.h"
#include "stepping/option_table.h"
#include "tests/support/errors.h"

namespace skald::options_test {
namespace {

using testing::StartsWith;

// The value as a flag takes it, and texts of C.
std::string written(bool value) { return value ? "on" : "off"; }
std::string written(const std::string& value) { return value; }
template <class T>
std::string written(T value) {
  return std::to_string(value);
}

// Another value than the default, of each type.
std::string other(const OptionRow& row, const std::string&) {
  const std::string_view words = !row.offered.empty() ? row.offered : row.kind ? row.kind : "";
  return std::string(words.substr(0, words.find_first_of(",|")));
}
bool other(const OptionRow&, bool usual) { return !usual; }
template <class T>
T other(const OptionRow&, T) {
  return T{7};
}

bool has_place(const OptionRow& row) { return !std::holds_alternative<std::monostate>(row.place); }
bool has_member(const OptionRow& row) { return !std::holds_alternative<std::monostate>(row.member); }

EngineOptions by_flag(const std::string& word) {
  CLI::App app;
  Flags flags(app);
  ComputeFlags compute;
  compute.declare(flags);
  app.parse(std::vector<std::string>{word});
  return compute.options;
}

// Calls `f` with the member of C, if the row has one.
template <class F>
void visit_member(const OptionRow& row, F f) {
  std::visit(
      [&](auto member) {
        if constexpr (!std::is_same_v<decltype(member), std::monostate>) f(member);
      },
      row.member);
}

TEST(Options, OfAllComputingCommandsAreSetByTheirFlags) {
  for (const OptionRow& row : option_rows()) {
    if (row.group == OptionGroup::kOwn) continue;
    const DeclaredFlag flag = flag_named(row.flags);
    visit_place(row, [&](auto place) {
      const EngineOptions usual;
      const auto want = other(row, value_at(usual, place));
      const bool is_switch = std::is_same_v<decltype(want), const bool>;
      const std::string name = flag.long_name().empty() ? flag.long_name(true) : flag.long_name();
      const EngineOptions got = by_flag(is_switch ? name : name + "=" + written(want));
      EXPECT_EQ(value_at(got, place), want) << row.field;
    });
  }
}

TEST(Options, HaveAFlagOfSomeCommand) {
  const CommandLine line;
  for (const OptionRow& row : option_rows()) {
    if (!row.flags) continue;
    const std::string names = flag_named(row.flags).text();
    const bool declared = std::ranges::any_of(line.parsers(), [&](const CommandParser& parser) {
      return std::ranges::any_of(parser.flags.table().flags(),
                                 [&](const DeclaredFlag& flag) { return flag.text() == names; });
    });
    EXPECT_TRUE(declared) << row.field;
  }
}

TEST(Options, AreSetByTheirMembersInC) {
  const EngineOptions usual;
  for (const OptionRow& row : option_rows()) {
    EXPECT_TRUE(has_place(row) || !has_member(row)) << row.field;
    visit_place(row, [&](auto place) {
      if (!has_member(row)) return;
      const auto want = other(row, value_at(usual, place));
      skald_engine_options c = skald_engine_defaults();
      visit_member(row, [&]<class T>(T skald_engine_options::*member) {
        if constexpr (std::is_same_v<decltype(want), const std::string>) {
          if constexpr (std::is_same_v<T, const char*>) c.*member = want.c_str();
        } else if constexpr (!std::is_same_v<T, const char*>) {
          c.*member = static_cast<T>(want);
        }
      });
      const EngineOptions got = c_api::engine_options(c), untouched = c_api::engine_options(skald_engine_defaults());
      EXPECT_EQ(value_at(got, place), want) << row.field;
      EXPECT_EQ(value_at(untouched, place), value_at(usual, place)) << row.field;
    });
  }
}

// Options with a value beyond either end of the row's range.
std::vector<EngineOptions> out_of_range(const OptionRow& row) {
  std::vector<EngineOptions> out;
  visit_place(row, [&]<class T, class Part>(T Part::*place) {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
      for (const double x : {row.range->least - 1, row.range->most + 1})
        if (std::isfinite(x)) value_at(out.emplace_back(), place) = static_cast<T>(x);
  });
  return out;
}

TEST(Options, OutOfRangeAreRefusedByTheNameOfTheirFlag) {
  for (const OptionRow& row : option_rows()) {
    if (!row.range) continue;
    EXPECT_FALSE(out_of_range(row).empty()) << row.field;
    for (const EngineOptions& options : out_of_range(row)) {
      const Error e = test::error_of([&] { options.check(); });
      EXPECT_EQ(e.code(), Errc::kBadInput) << row.field;
      EXPECT_THAT(e.what(), StartsWith(std::string(row.field) + ": want "));
      EXPECT_EQ(in_flags(e.what()).starts_with("--"), row.flags != nullptr) << row.field;
    }
  }
}

// Rows cover the C structure from end to end, but for padding.
TEST(Options, AreAllMembersInC) {
  const skald_engine_options c{};
  std::vector<std::pair<ptrdiff_t, ptrdiff_t>> members;  // begin, size
  for (const OptionRow& row : option_rows())
    visit_member(row, [&]<class T>(T skald_engine_options::*member) {
      const auto at = reinterpret_cast<const char*>(&(c.*member)) - reinterpret_cast<const char*>(&c);
      members.emplace_back(at, sizeof(T));
    });
  members.emplace_back(sizeof c, sizeof(void*));
  std::ranges::sort(members);
  ptrdiff_t end = 0;
  for (const auto& [at, size] : members) {
    EXPECT_GE(at, end) << "two rows have one member";
    EXPECT_EQ(at, (end + size - 1) / size * size) << "a member has no row before byte " << at;
    end = at + size;
  }
}

}  // namespace
}  // namespace skald::options_test
