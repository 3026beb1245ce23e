// Several texts of a prompt: what is left of one that ends before the others.
#include <gtest/gtest.h>

#include "tests/engine/fake_stepper.h"
#include "tests/engine/some_tokens.h"

namespace skald::choices_test {
namespace {

using test::Driver;
using test::some;

LoopOptions options() { return {.limits = {.n_ctx = 900}, .n_parallel = 2, .rows = 200, .share_prefixes = true}; }

// Two texts, of which the callback ends one with its 60th token.
Request two(int ends) {
  return {.prompt = some(100, 1),
          .max_tokens = 200,
          .n = 2,
          .sampling = {.seed = 7},
          .on_event = [ends, seen = 0](const Event& e) mutable {
            if (e.branch == ends && e.token >= 0) e.stop = ++seen == 60;
          }};
}

int64_t active(const Driver& d) { return d.loop->status().pages.active; }

// What a text has may be wanted by others only where it is the first one, and is to be found.
TEST(Choices, GiveTheirPagesBackWhenTheyEnd) {
  for (const int ends : {0, 1}) {
    Driver d(0, options());
    Request r = two(ends);
    r.reuse_generated = ends == 1;
    std::future<Result> result = d.submit(std::move(r));
    for (int i = 0; i < 59; ++i) d.loop->step();
    const int64_t before = active(d);
    for (int i = 0; i < 2; ++i) d.loop->step();
    EXPECT_EQ(active(d), before - 2) << "of text " << ends;
    ASSERT_TRUE(d.run());
    EXPECT_EQ(active(d), 0);
  }
}

TEST(Choices, CountAsPausedAsLongAsTheyAreNotOver) {
  Driver d(0, options());
  d.submit(two(1));
  for (int i = 0; i < 30; ++i) d.loop->step();
  d.loop->pause(1);
  EXPECT_EQ(d.loop->status().paused, 2);
  d.loop->resume(1);
  for (int i = 0; i < 40; ++i) d.loop->step();
  d.loop->pause(1);
  EXPECT_EQ(d.loop->status().paused, 1);
  d.loop->cancel_all();
}

}  // namespace
}  // namespace skald::choices_test
