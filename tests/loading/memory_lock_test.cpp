// --mlock: weights when an engine is made, cache pages as they are made.
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "base/memory.h"
#include "loading/loaded_model.h"
#include "tests/engine/requests.h"
#include "tests/support/loaded_small_model.h"
#include "tests/support/told.h"

namespace skald {
namespace {

// The small model: less than any user may lock.
class EngineMemoryLock : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::tells_locked_memory()) GTEST_SKIP() << "the system does not tell what is locked";
  }
  Request request() const {
    return {.prompt = test::some_tokens(20, 1, 101), .max_tokens = 1, .sampling = {.temperature = 0}, .on_event = {}};
  }

  const Model model_{test::load({})};
  const int64_t before_ = locked_memory();
};

TEST_F(EngineMemoryLock, HoldsWeightsAndCache) {
  Engine engine(
      model_,
      {.device = {.n_threads = 1, .lock = true}, .cache = {.n_ctx = 64, .lock = true}, .schedule = {.n_parallel = 1}});
  const int64_t weights = locked_memory() - before_;
  EXPECT_GE(weights, model_.loaded()->weight_bytes());
  engine.generate(request());
  EXPECT_GE(locked_memory() - before_, weights + engine.kv_bytes());
}

TEST_F(EngineMemoryLock, HoldsTheWindowsOfFixedShapes) {
  Engine engine(model_, {.device = {.n_threads = 1, .lock = true},
                         .cache = {.lock = true, .static_shapes = {.context = 64, .scales = {}}},
                         .schedule = {.n_parallel = 1}});
  EXPECT_GE(locked_memory() - before_, model_.loaded()->weight_bytes() + engine.memory().static_use->bytes);
}

TEST_F(EngineMemoryLock, IsNotThereUnlessAskedFor) {
  Engine engine(model_, {.device = {.n_threads = 1}, .cache = {.n_ctx = 64}});
  engine.generate(request());
  EXPECT_EQ(locked_memory(), before_);
}

TEST_F(EngineMemoryLock, EndsWithTheModel) {
  {
    const auto other = test::load({});
    CpuBackend(1, {}, {.lock = true}).load(other->build_graph({1, 1}), *other->step_model().weights);
    EXPECT_GT(locked_memory(), before_);
  }
  EXPECT_EQ(locked_memory(), before_);
}

}  // namespace
}  // namespace skald
