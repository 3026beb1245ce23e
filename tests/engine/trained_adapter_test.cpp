// A trained adapter of the embedded model against PyTorch (tests/data/lora/skald-tiny-space.json, by
// tools/train/adapter.py): the base's and the adapted model's choices wherever the reference is sure.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "skald/lora.h"
#include "tests/engine/requests.h"
#include "tests/support/paths.h"

namespace skald {
namespace {

using Json = nlohmann::json;
using Tokens = std::vector<TokenId>;

constexpr double kSure = 0.5;  // as tests/stepping/reference_test.cpp has it: what int8 activations explain

const std::string& folder() {
  static const std::string path = (test::data_dir() / "lora").string();
  return path;
}

const Json& reference() {
  static const Json all = Json::parse(std::ifstream(folder() + "/skald-tiny-space.json"));
  return all;
}

std::vector<LoraUse> space() { return {{Lora::load(test::story_model(), folder() + "/skald-tiny-space.gguf")}}; }

Engine engine() { return Engine(test::story_model(), {.device = {.n_threads = 2}, .schedule = {.n_parallel = 4}}); }

Request request(const Json& one, const std::vector<LoraUse>& loras) {
  Request out = test::story(one["prompt"].get<std::string>(), 64);
  out.loras = loras;
  return out;
}

// The prompt with the reference's tokens as one prompt, whose most likely tokens are asked for.
Request forced(const Json& one, const std::vector<LoraUse>& loras) {
  Request out = request(one, loras);
  const auto greedy = one["greedy"].get<Tokens>();
  out.prompt.insert(out.prompt.end(), greedy.begin(), greedy.end());
  out.max_tokens = 0;
  out.top_log_probs = 1;
  out.prompt_log_probs = true;
  return out;
}

// Returns the number of tokens that were compared.
int expect_same_choices(const Json& one, const Result& got) {
  const auto greedy = one["greedy"].get<Tokens>();
  const auto margins = one["margins"].get<std::vector<double>>();
  const size_t before = one["ids"].size() - 1;
  EXPECT_EQ(got.prompt_top_log_probs.size(), before + greedy.size());
  int compared = 0;
  for (size_t i = 0; i < greedy.size(); ++i) {
    if (margins[i] < kSure) continue;
    ++compared;
    EXPECT_EQ(got.prompt_top_log_probs.at(before + i).at(0).token, greedy[i]) << one["prompt"] << ", token " << i;
  }
  return compared;
}

// The first tokens, all of which the reference is sure of.
Tokens sure_tokens(const Json& one, const Tokens& tokens) {
  const auto margins = one["margins"].get<std::vector<double>>();
  const auto close = std::ranges::find_if(margins, [](double m) { return m < kSure; }) - margins.begin();
  return {tokens.begin(), tokens.begin() + close};
}

TEST(TrainedAdapter, ChoosesTheReferencesTokens) {
  Engine writer = engine();
  int compared = 0;
  for (const Json& one : reference()["base"]) compared += expect_same_choices(one, writer.generate(forced(one, {})));
  for (const Json& one : reference()["adapted"]) compared += expect_same_choices(one, writer.generate(forced(one, space())));
  EXPECT_GT(compared, 150) << "of 256";
}

TEST(TrainedAdapter, WritesBesideTheBaseAsAlone) {
  Engine writer = engine();
  std::vector<std::pair<const Json*, std::future<Result>>> texts;
  for (size_t i = 0; i < reference()["base"].size(); ++i) {
    for (const auto& [kind, loras] : {std::pair("base", std::vector<LoraUse>{}), std::pair("adapted", space())}) {
      const Json& one = reference()[kind][i];
      texts.emplace_back(&one, writer.submit(request(one, loras)).result);
    }
  }
  for (auto& [one, result] : texts) {
    const Tokens got = test::wait_for(result).tokens;
    EXPECT_EQ(sure_tokens(*one, got), sure_tokens(*one, (*one)["greedy"].get<Tokens>())) << (*one)["prompt"];
  }
}

}  // namespace
}  // namespace skald
