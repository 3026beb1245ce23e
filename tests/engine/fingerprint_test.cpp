// What decides whether pages of one engine are those of another.
#include "engine/fingerprint.h"

#include <gtest/gtest.h>

#include "stepping/runner.h"
#include "tests/engine/requests.h"
#include "tests/support/faulting_cpu.h"

namespace skald::fingerprint_test {
namespace {

std::unique_ptr<Backend> split_at(char layer) {
  std::vector<std::unique_ptr<Backend>> devices;
  for (int i = 0; i < 2; ++i) devices.push_back(std::make_unique<CpuBackend>(1, ""));
  return std::make_unique<SplitBackend>(std::move(devices), [layer](std::string_view name) {
    return name.empty() || name.back() < layer ? size_t{0} : size_t{1};
  });
}

Sha256Sum sum_of(Backend& backend) {
  const LoadedModel& model = *test::story_model().loaded();
  const Runner runner(model.step_model(), backend, {.n_ctx = 64});
  return fingerprint(model, backend, {}, runner.kv());
}

TEST(Fingerprint, NamesThePlacementOfASplit) {
  CpuBackend one(1, ""), same(2, "");
  EXPECT_EQ(sum_of(one), sum_of(same));
  const auto first = split_at('1'), again = split_at('1'), second = split_at('2');
  EXPECT_EQ(sum_of(*first), sum_of(*again));
  EXPECT_NE(sum_of(*first), sum_of(*second));
  EXPECT_NE(sum_of(*first), sum_of(one));
}

TEST(Fingerprint, TellsMemoriesApart) {
  const auto apart = test::two_memories(1);
  EXPECT_NE(sum_of(*apart), sum_of(*split_at('1')));
}

}  // namespace
}  // namespace skald::fingerprint_test
