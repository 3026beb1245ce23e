// Sampling defaults of a model's metadata, and breakers made of texts by a model's vocabulary.
#include "loading/sampling_defaults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skald/skald.h"

namespace skald {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;

SamplingDefaults defaults_of(std::initializer_list<std::pair<std::string, MetaValue>> values) {
  Meta meta;
  for (const auto& [key, value] : values) meta.set("general.sampling." + key, value);
  return read_sampling_defaults(meta);
}

TEST(SamplingDefaults, AreTheLibrarysWhereTheFileSaysNothing) {
  const SamplingDefaults d = defaults_of({});
  EXPECT_EQ(d.params.temperature, SamplingParams{}.temperature);
  EXPECT_EQ(d.params.samplers, SamplingParams::default_samplers());
  EXPECT_EQ(d.described, "");
}

TEST(SamplingDefaults, AreWhatTheFileSays) {
  const SamplingDefaults d = defaults_of({{"temp", 0.5F},
                                          {"top_k", int32_t{20}},
                                          {"top_p", 0.75},
                                          {"min_p", 0.25F},
                                          {"typical_p", 0.5F},
                                          {"xtc_probability", 0.5F},
                                          {"xtc_threshold", 0.25F},
                                          {"penalty_last_n", int32_t{-1}},
                                          {"penalty_repeat", 1.25F},
                                          {"mirostat", int32_t{2}},
                                          {"mirostat_tau", 3.0F},
                                          {"mirostat_eta", 0.5F},
                                          {"sequence", std::string("top-k;temp")}});
  EXPECT_EQ(d.params.temperature, 0.5F);
  EXPECT_EQ(d.params.top_k, 20);
  EXPECT_EQ(d.params.top_p, 0.75F);
  EXPECT_EQ(d.params.min_p, 0.25F);
  EXPECT_EQ(d.params.typical_p, 0.5F);
  EXPECT_EQ(d.params.xtc_probability, 0.5F);
  EXPECT_EQ(d.params.xtc_threshold, 0.25F);
  EXPECT_EQ(d.params.repeat_last_n, -1);
  EXPECT_EQ(d.params.repeat_penalty, 1.25F);
  EXPECT_EQ(d.params.mirostat, 2);
  EXPECT_EQ(d.params.mirostat_ent, 3);
  EXPECT_EQ(d.params.mirostat_lr, 0.5F);
  EXPECT_THAT(d.params.samplers, ElementsAre("top_k", "temperature"));
  EXPECT_THAT(d.described, testing::StartsWith("temp 0.5, top_k 20, top_p 0.75"));
}

TEST(SamplingDefaults, LeaveOutWhatIsOutOfRangeOrOfAnotherType) {
  const SamplingDefaults d = defaults_of({{"top_p", 7.0F},
                                          {"temp", std::string("hot")},
                                          {"mirostat", int32_t{3}},
                                          {"sequence", std::string("nosuch")},
                                          {"top_k", int32_t{-1}},
                                          {"min_p", 0.5F}});
  EXPECT_EQ(d.params.top_p, SamplingParams{}.top_p);
  EXPECT_EQ(d.params.temperature, SamplingParams{}.temperature);
  EXPECT_EQ(d.params.mirostat, 0);
  EXPECT_EQ(d.params.samplers, SamplingParams::default_samplers());
  EXPECT_EQ(d.params.top_k, 0) << "-1 is all";
  EXPECT_EQ(d.described, "top_k 0, min_p 0.5");
}

TEST(DryBreakers, AreAllTokensThatContainTheTextAndThoseThatEndWithItsBeginning) {
  const Model model = Model::embedded();
  const std::string colon[] = {"."};
  const auto single = model.dry_breakers(colon);
  EXPECT_THAT(single, Each(SizeIs(1)));
  EXPECT_THAT(single, Contains(model.tokenize(".", {.add_special = false})));

  const std::string text = "Once upon";
  const std::string texts[] = {text};
  const auto sequences = model.dry_breakers(texts);
  EXPECT_THAT(sequences, Contains(model.tokenize(text, {.add_special = false})));
  for (const auto& sequence : sequences) EXPECT_THAT(model.detokenize(sequence), testing::HasSubstr(text));
}

}  // namespace
}  // namespace skald
