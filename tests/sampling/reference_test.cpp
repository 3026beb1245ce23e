// The chain against numbers that another implementation gave (tests/cli/reference/samplers.py, in NumPy): which tokens are
// left and how likely they are, over several steps where samplers remember.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "sampling/sampler.h"

#include "tests/support/paths.h"

namespace skald::reference_test {
namespace {

using Json = nlohmann::json;

constexpr float kInf = std::numeric_limits<float>::infinity();

// Samplers that a case leaves out are off.
SamplingParams params_of(const Json& c) {
  SamplingParams p{.temperature = 1, .top_k = 0, .top_p = 1, .min_p = 0, .seed = 1};
  const Json& from = c.at("params");
  const auto number = [&](const char* name, auto& to) { to = from.value(name, to); };
  number("temp", p.temperature);
  number("top_k", p.top_k);
  number("top_p", p.top_p);
  number("min_p", p.min_p);
  number("typical", p.typical_p);
  number("top_nsigma", p.top_n_sigma);
  number("xtc_probability", p.xtc_probability);
  number("xtc_threshold", p.xtc_threshold);
  number("repeat_last_n", p.repeat_last_n);
  number("repeat_penalty", p.repeat_penalty);
  number("presence_penalty", p.presence_penalty);
  number("frequency_penalty", p.frequency_penalty);
  number("dynatemp_range", p.dynatemp_range);
  number("dynatemp_exp", p.dynatemp_exponent);
  number("dry_multiplier", p.dry_multiplier);
  number("dry_base", p.dry_base);
  number("dry_allowed_length", p.dry_allowed_length);
  number("dry_penalty_last_n", p.dry_penalty_last_n);
  number("dry_breaker_ids", p.dry_breakers);
  number("mirostat", p.mirostat);
  number("mirostat_lr", p.mirostat_lr);
  number("mirostat_ent", p.mirostat_ent);
  number("adaptive_target", p.adaptive_target);
  number("adaptive_decay", p.adaptive_decay);
  if (c.contains("samplers")) p.samplers = c.at("samplers").get<std::vector<std::string>>();
  for (const Json& b : from.value("logit_bias", Json::array()))
    p.logit_bias.push_back({b[0].get<TokenId>(), b[1].is_null() ? -kInf : b[1].get<float>()});
  return p;
}

std::vector<float> row_of(const Json& row) {
  std::vector<float> out;
  for (const Json& x : row) out.push_back(x.is_null() ? -kInf : x.get<float>());
  return out;
}

void expect_step(CandidateSet& tokens, const Json& want) {
  const std::vector<Candidate> got = tokens.best_of(tokens.size());
  const auto ids = want.at("ids").get<std::vector<TokenId>>();
  const auto shares = want.at("p").get<std::vector<double>>();
  ASSERT_EQ(got.size(), ids.size());
  const double total = tokens.log_total();
  for (size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(got[i].id, ids[i]) << "place " << i;
    EXPECT_NEAR(std::exp(got[i].logit - total), shares[i], 1e-7 + 1e-4 * shares[i]) << "token " << ids[i];
  }
}

void expect_case(const Json& c) {
  Sampler sampler(params_of(c));
  for (const TokenId id : c.value("history", std::vector<TokenId>{})) sampler.accept(id);
  for (size_t i = 0; i < c.at("steps").size(); ++i) {
    SCOPED_TRACE("step " + std::to_string(i));
    const std::vector<float> row = row_of(c.at("logits")[i]);
    expect_step(sampler.narrow(row), c.at("steps")[i]);
    if (c.contains("force")) sampler.accept(c.at("force")[i].get<TokenId>());
  }
}

Json all_cases() {
  std::ifstream file(test::data_dir() / "samplers/cases.json");
  return Json::parse(file);
}

TEST(AgainstReference, EachSamplerLeavesTheTokensAndProbabilitiesOfItsDefinition) {
  const Json cases = all_cases();
  ASSERT_GT(cases.size(), 60u);
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE("case " + std::to_string(i) + ", " + cases[i].at("group").get<std::string>());
    expect_case(cases[i]);
  }
}

TEST(AgainstReference, ACopyRemembersWhatTheOriginalDoes) {
  for (const Json& c : all_cases()) {
    if (!c.contains("force")) continue;
    SCOPED_TRACE(c.at("group").get<std::string>());
    Sampler sampler(params_of(c));
    for (const TokenId id : c.value("history", std::vector<TokenId>{})) sampler.accept(id);
    for (size_t i = 0; i < c.at("steps").size(); ++i) {
      const std::vector<float> row = row_of(c.at("logits")[i]);
      Sampler fork = sampler;
      expect_step(fork.narrow(row), c.at("steps")[i]);
      sampler = fork;
      sampler.accept(c.at("force")[i].get<TokenId>());
    }
  }
}

}  // namespace
}  // namespace skald::reference_test
