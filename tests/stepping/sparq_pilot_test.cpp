#include "stepping/sparq_pilot.h"

#include <gtest/gtest.h>

#include <numeric>

namespace skald {
namespace {

SparqPilot measured(double loss, double nats, double sparse_layers = 1) {
  SparqPilot pilot({.loss = loss, .mean = {}});
  pilot.end_trial(sparse_layers);
  pilot.take_trial(nats, 128);
  pilot.begin_page(4096);
  return pilot;
}

TEST(SparqShares, HaveAMeanOfOneByWeightAndGrowWithTheLoss) {
  const std::vector<HeadLoss> losses{{1e-3, 1}, {1e-4, 1}, {1e-5, 3}, {2e-3, 2}};
  const std::vector<float> shares = shares_of(losses);
  double sum = 0, weight = 0;
  for (size_t i = 0; i < losses.size(); ++i) {
    sum += static_cast<double>(shares[i]) * losses[i].weight;
    weight += losses[i].weight;
  }
  EXPECT_NEAR(sum / weight, 1, 1e-3);
  EXPECT_GT(shares[3], shares[0]);
  EXPECT_GT(shares[0], shares[1]);
  EXPECT_GT(shares[1], shares[2]);
  EXPECT_NEAR(shares[0] / shares[1], std::pow(10, 0.18), 0.01) << "a power of the losses";
}

TEST(SparqShares, AreOneWhereNothingWasLostAndBoundedElsewhere) {
  std::vector<HeadLoss> losses(20, {1e-6, 1});
  losses[0].loss = 0;
  losses[1].loss = 10;
  losses[2].loss = 1e-30;
  const std::vector<float> shares = shares_of(losses);
  EXPECT_EQ(shares[0], 1);
  EXPECT_LE(shares[1], 4);
  EXPECT_GE(shares[2], 0.33F);
  EXPECT_TRUE(shares_of({}).empty());
}

// The numbers of `shares` and `TextLoss` in tests/cli/reference/sparq.py.
TEST(SparqPilot, AgreesWithItsDefinition) {
  const std::vector<float> want{1.01873F, 0.67307F, 1, 1.15410F};
  const std::vector<float> shares = shares_of(std::vector<HeadLoss>{{1e-3, 1}, {1e-4, 1}, {0, 3}, {2e-3, 2}});
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(shares[i], want[i], 1e-4);
  SparqPilot pilot({.loss = 0.01, .mean = {}});
  pilot.end_trial(1);
  pilot.take_trial(0.002, SparqPilot::kTrialRows);
  pilot.begin_page(4096);
  pilot.take_check(4096, 0.004);
  pilot.begin_page(4160);
  EXPECT_NEAR(pilot.policy(4160).scale, 1.09494, 1e-4);
}

TEST(SparqPilot, ReadsLessWhereLittleWasLostAndMoreWhereMuchWas) {
  EXPECT_GT(measured(0.01, 0.0005).policy(4096).scale, 1);
  EXPECT_LT(measured(0.01, 0.05).policy(4096).scale, 1);
  EXPECT_GT(measured(0.01, 0.001).policy(4096).scale, measured(0.01, 0.002).policy(4096).scale);
}

// Their keys are more like those of dense rows.
TEST(SparqPilot, ReadsLessWhereFewLayersAreSparse) {
  EXPECT_GT(measured(0.01, 0.002, 0.25).policy(4096).scale, measured(0.01, 0.002).policy(4096).scale);
}

// A loss sets the ratio by its root, and the scale does not undo that.
TEST(SparqPilot, ReadsNoMoreForAGreaterLoss) {
  const auto ratio = [](double loss) { return std::sqrt(loss) * measured(loss, loss * 0.3).policy(4096).scale; };
  for (double loss = 0.001; loss < 0.1; loss *= 1.5) EXPECT_LE(ratio(loss), ratio(loss * 1.5));
}

TEST(SparqPilot, LetsChecksChangeLaterPagesAlone) {
  SparqPilot pilot = measured(0.01, 0.004);
  const double before = pilot.policy(4096).scale;
  for (int i = 0; i < 20; ++i) pilot.take_check(4096, 0.05);
  EXPECT_EQ(pilot.policy(4100).scale, before);
  EXPECT_FALSE(pilot.has_begun(4160));
  pilot.begin_page(4160);
  EXPECT_TRUE(pilot.has_begun(4160));
  EXPECT_LT(pilot.policy(4160).scale, before);
  EXPECT_GT(pilot.nats(4160), 0);
}

TEST(SparqPilot, ChecksOneTokenOfAPageWhereALossIsGiven) {
  const SparqPilot pilot = measured(0.01, 0.004);
  EXPECT_TRUE(pilot.wants_check(4096));
  EXPECT_FALSE(pilot.wants_check(4097));
  EXPECT_TRUE(pilot.wants_check(4160));
  SparqPilot of_ratio({.ratio = 8, .mean = {}});
  of_ratio.end_trial(1);
  EXPECT_FALSE(of_ratio.wants_check(4096));
}

TEST(SparqPilot, BeginsAgainElsewhere) {
  SparqPilot pilot = measured(0.01, 0.004);
  pilot.begin_page(64);
  EXPECT_TRUE(pilot.has_begun(100));
  EXPECT_FALSE(pilot.has_begun(4096));
}

}  // namespace
}  // namespace skald
