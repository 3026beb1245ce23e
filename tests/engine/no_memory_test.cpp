// A step for which there is no memory ends its request with an error, not the engine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "tests/engine/requests.h"
#include "tests/support/sanitized.h"

namespace skald {
namespace {

// Lets the process grow by `bytes` and no more, for a scope.
class MemoryLimit {
 public:
  explicit MemoryLimit(rlim_t bytes) {
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    getrlimit(RLIMIT_AS, &before_);
    const rlimit limit{pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + bytes, before_.rlim_max};
    setrlimit(RLIMIT_AS, &limit);
  }
  ~MemoryLimit() { setrlimit(RLIMIT_AS, &before_); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  rlimit before_{};
};

TEST(NoMemory, EndsTheRequestWithAnErrorAndNotTheEngine) {
  if (test::kSanitized) GTEST_SKIP() << "needs a limit on address space";
  Engine engine(test::story_model(), {.device = {.n_threads = 2},
                                      .cache = {.n_ctx = 1 << 16},
                                      .schedule = {.n_parallel = 2, .n_batch = 1 << 16, .n_ubatch = 1 << 16}});
  const std::vector<TokenId> want = engine.generate(test::story("Once", 5)).tokens;
  Request large = test::story("", 1);
  large.prompt.assign(60000, 300);  // some hundred MiB of keys, values and activations
  std::string heard;
  large.on_event = [&](const Event& e) { heard = e.error; };
  Result r;
  {
    const MemoryLimit limit(16 << 20);
    r = engine.generate(std::move(large));
  }
  EXPECT_EQ(r.finish, FinishReason::kError);
  EXPECT_THAT(r.error, testing::HasSubstr("memory"));
  EXPECT_EQ(heard, r.error);
  EXPECT_TRUE(r.tokens.empty());
  EXPECT_EQ(engine.generate(test::story("Once", 5)).tokens, want);
}

}  // namespace
}  // namespace skald
