// Every number of sampling is set by its flag, by its field of a request and by its member in C, within its range, and
// answers tell of it: a loop over the rows of sampling/number_table.h.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "api/c_request.h"
#include "cli/flags/sampling.h"
#include "sampling/number_table.h"
#include "serve/api_error.h"
#include "serve/fields/sampling.h"
#include "serve/writers/llama_writer.h"
#include "skald/c.h"
#include "tests/engine/requests.h"
#include "tests/support/errors.h"

namespace skald::sampling_numbers_test {
namespace {

using serve::Json;
using testing::ElementsAre;
using testing::StartsWith;

bool is_whole(const SamplingNumber& n) { return std::holds_alternative<int SamplingParams::*>(n.field); }

// A value that is not the default, and that all three take.
double other_value(const SamplingNumber& n) {
  const double usual = n.value({});
  for (const double x : {0.5, 1.0, 2.0})
    if ((!is_whole(n) || x == std::trunc(x)) && x != usual && n.range.has(x) && n.asked_range().has(x)) return x;
  ADD_FAILURE() << n.name << ": no value is in range";
  return usual;
}

// Values on both sides of a range, beyond its finite ends.
std::vector<double> beyond(const Range& range) {
  std::vector<double> out;
  if (std::isfinite(range.least)) out.push_back(range.without_least ? range.least : range.least - 1);
  if (std::isfinite(range.most)) out.push_back(range.most + 1);
  return out;
}

std::string written(const SamplingNumber& n, double x) {
  return is_whole(n) ? std::to_string(std::llround(x)) : std::to_string(x);
}

SamplingParams by_flag(const std::string& word) {
  CLI::App app;
  Flags flags(app);
  SamplingFlags sampling;
  sampling.declare(flags);
  app.parse(std::vector<std::string>{word});
  return sampling.checked();
}

SamplingParams by_request(const Json& body) {
  SamplingParams out;
  serve::read_sampling(serve::Fields(body), /*n_vocab=*/100, out);
  return out;
}

Json body_of(const SamplingNumber& n, double x) {
  const std::string key(n.key());
  return is_whole(n) ? Json{{key, std::llround(x)}} : Json{{key, x}};
}

skald_sampling in_c(const SamplingNumber& n, double x) {
  skald_sampling out = skald_sampling_defaults(nullptr);
  std::visit([&](auto m) { out.*m = static_cast<std::remove_reference_t<decltype(out.*m)>>(x); }, n.member);
  return out;
}

SamplingParams by_c(const skald_sampling& sampling) {
  skald_request request = skald_request_defaults(nullptr);
  request.sampling = sampling;
  return c_api::engine_request(request, test::story_model()).sampling;
}

TEST(SamplingNumbers, AreSetByFlagsRequestsAndC) {
  for (const SamplingNumber& n : sampling_numbers()) {
    const double x = other_value(n);
    if (n.flags) {
      EXPECT_EQ(n.value(by_flag(flag_named(n.flags).long_name() + "=" + written(n, x))), x) << n.name;
    }
    EXPECT_EQ(n.value(by_request(body_of(n, x))), x) << n.name;
    EXPECT_EQ(n.value(by_c(in_c(n, x))), x) << n.name;
    EXPECT_EQ(n.value(by_c(skald_sampling_defaults(nullptr))), n.value({})) << n.name;
  }
}

TEST(SamplingNumbers, HaveAFlagUnlessLlamaHasNone) {
  std::vector<std::string_view> without;
  for (const SamplingNumber& n : sampling_numbers())
    if (!n.flags) without.push_back(n.name);
  EXPECT_THAT(without, ElementsAre("min_keep"));
}

TEST(SamplingNumbers, OutOfRangeAreRefusedByTheNameOfTheirFlag) {
  for (const SamplingNumber& n : sampling_numbers()) {
    if (!n.flags) continue;
    std::vector<std::string> values;
    if (!is_whole(n)) values = {"nan"};
    for (const double x : beyond(n.range))
      if (!is_whole(n) || x <= std::numeric_limits<int32_t>::max()) values.push_back(written(n, x));
    EXPECT_FALSE(values.empty()) << n.name;
    for (const std::string& value : values) try {
        by_flag(flag_named(n.flags).long_name() + "=" + value);
        ADD_FAILURE() << n.name << " takes " << value;
      } catch (const UsageError& e) {
        EXPECT_THAT(e.what(), StartsWith(flag_named(n.flags).shortest_name() + ": want ")) << value;
      }
  }
}

TEST(SamplingNumbers, OutOfRangeAreRefusedByTheirFieldOfRequests) {
  for (const SamplingNumber& n : sampling_numbers()) {
    EXPECT_EQ(beyond(n.asked_range()).size(), 2U) << n.name << ": requests want both ends";
    for (const double x : beyond(n.asked_range())) try {
        by_request(body_of(n, x));
        ADD_FAILURE() << n.name << " takes " << x;
      } catch (const serve::ApiError& e) {
        EXPECT_EQ(e.param(), n.key());
      }
  }
}

TEST(SamplingNumbers, OutOfRangeAreRefusedByTheirFieldInC) {
  for (const SamplingNumber& n : sampling_numbers()) {
    std::vector<double> values = beyond(n.range);
    if (!is_whole(n)) values.push_back(std::nan(""));
    for (const double x : values) {
      if (is_whole(n) && x > std::numeric_limits<int32_t>::max()) continue;
      const Error e = test::error_of([&] { by_c(in_c(n, x)).check(); });
      EXPECT_EQ(e.code(), Errc::kBadInput);
      EXPECT_THAT(e.what(), StartsWith(n.path() + ": want ")) << x;
    }
  }
}

TEST(SamplingNumbers, AreToldByAnswers) {
  for (const SamplingNumber& n : sampling_numbers()) {
    SamplingParams params;
    n.set(params, other_value(n));
    const Json settings = serve::settings_json(params, Request{.prompt = {}, .sampling = {}, .on_event = {}});
    ASSERT_TRUE(settings.contains(std::string(n.key()))) << n.name;
    EXPECT_EQ(settings[std::string(n.key())].get<double>(), other_value(n)) << n.name;
  }
}

// The members that are numbers come first in both structures.
template <class Struct, class Member>
void expect_a_row_each(const Struct& all, const Member SamplingNumber::*member, const void* end) {
  const auto offset = [&](const void* p) { return static_cast<const char*>(p) - reinterpret_cast<const char*>(&all); };
  std::set<ptrdiff_t> rows;
  for (const SamplingNumber& n : sampling_numbers())
    rows.insert(std::visit([&](auto m) { return offset(&(all.*m)); }, n.*member));
  EXPECT_EQ(rows.size(), sampling_numbers().size()) << "two rows have one member";
  ptrdiff_t next = 0;
  for (const ptrdiff_t at : rows) {
    EXPECT_EQ(at, next) << "a number has no row";
    next = at + static_cast<ptrdiff_t>(sizeof(float));
  }
  EXPECT_LT(offset(end) - next, static_cast<ptrdiff_t>(sizeof(void*))) << "a number has no row";
}

TEST(SamplingNumbers, AreAllNumbersOfTheLibraryAndOfC) {
  const SamplingParams params;
  expect_a_row_each(params, &SamplingNumber::field, &params.logit_bias);
  const skald_sampling c{};
  expect_a_row_each(c, &SamplingNumber::member, &c.logit_bias);
}

}  // namespace
}  // namespace skald::sampling_numbers_test
