// Short work does not wait for long work, which goes on in slices and within its bounds.
#include "serve/workers/fair_workers.h"

#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <optional>
#include <semaphore>
#include <stdexcept>

#include "base/interruption.h"
#include "serve/api_error.h"
#include "tests/serve/parked.h"

namespace skald::serve_test {
namespace {

using namespace std::chrono_literals;
using serve::ApiError;
using serve::FairWorkers;

// Computes, with points, until it is told to stop.
void compute_until(const std::atomic<bool>& stop) {
  while (!stop) Interruption::point();
}

FairWorkers::Limits quick() { return {.moment = 2ms, .slice = 2ms}; }

TEST(FairWorkers, DoWhatIsPostedBeforeTheyClose) {
  std::atomic<int> done = 0;
  FairWorkers workers({});
  for (int i = 0; i < 100; ++i) workers.post([&] { ++done; });
  workers.close();
  EXPECT_EQ(done, 100);
  workers.post([&] { ++done; });
  EXPECT_EQ(done, 100);
}

TEST(FairWorkers, GoOnAfterATaskThatThrows) {
  std::atomic<int> done = 0;
  FairWorkers workers({});
  for (int i = 0; i < 10; ++i) {
    workers.post([] { throw std::runtime_error("no"); });
    workers.post([] { throw 42; });
    workers.post([&] { ++done; });
  }
  workers.close();
  EXPECT_EQ(done, 10);
}

TEST(FairWorkers, ShortTasksDoNotWaitForLongOnes) {
  std::atomic<bool> stop = false;
  FairWorkers workers(quick());
  for (int i = 0; i < 8; ++i) workers.post([&] { compute_until(stop); });
  for (int i = 0; i < 20; ++i) {
    Signal done;
    workers.post([&] { done.set(); });
    done.wait();
  }
  stop = true;
  workers.close();
}

TEST(FairWorkers, ShortTasksDoNotWaitForTasksWithoutPoints) {
  std::counting_semaphore<> go(0);
  FairWorkers workers(quick());
  for (int i = 0; i < 8; ++i) workers.post([&] { go.acquire(); });
  Signal done;
  workers.post([&] { done.set(); });
  done.wait();
  go.release(8);
  workers.close();
}

TEST(FairWorkers, LongTasksTakeTurns) {
  std::atomic<bool> stop = false;
  std::array<std::atomic<int64_t>, 3> points = {};
  FairWorkers workers(quick());
  for (auto& count : points)
    workers.post([&] {
      while (!stop) {
        Interruption::point();
        ++count;
      }
    });
  for (auto& count : points)  // each goes on after it was long
    for (const int64_t before = count; count < before + 1'000'000;) std::this_thread::sleep_for(1ms);
  stop = true;
  workers.close();
}

TEST(FairWorkers, ClientsTakeTurns) {
  std::vector<std::string> order;
  std::mutex mutex;
  Signal began;
  std::counting_semaphore<> go(0);
  FairWorkers workers({.together = 2, .long_ones = 1, .moment = 1h});
  for (int i = 0; i < 2; ++i)  // until all are posted
    workers.post([&] {
      began.set();
      go.acquire();
    });
  began.wait(2);
  const auto post = [&](const std::string& client) {
    workers.post({.run =
                      [&, client] {
                        const std::lock_guard lock(mutex);
                        order.push_back(client);
                      },
                  .client = client});
  };
  for (int i = 0; i < 5; ++i) post("many");
  post("one");
  go.release(1);  // one thread does them all
  const auto done = [&] {
    const std::lock_guard lock(mutex);
    return order.size() == 6;
  };
  while (!done()) std::this_thread::sleep_for(1ms);
  go.release(1);
  workers.close();
  EXPECT_EQ(order[1], "one");
}

// The status with which a task of this kind ends.
std::optional<int> status_of_task(FairWorkers& workers, std::function<void()> run, std::function<void()> look = {}) {
  std::promise<std::optional<int>> status;
  workers.post({.run =
                    [&, run = std::move(run)] {
                      try {
                        run();
                        status.set_value({});
                      } catch (const ApiError& e) {
                        status.set_value(e.status());
                      }
                    },
                .look = std::move(look)});
  return status.get_future().get();
}

TEST(FairWorkers, ATaskHasItsTime) {
  FairWorkers::Limits limits = quick();
  limits.seconds = 0.02;
  FairWorkers workers(limits);
  const std::atomic<bool> never = false;
  EXPECT_EQ(status_of_task(workers, [&] { compute_until(never); }), 400);
  EXPECT_EQ(status_of_task(workers, [] {}), std::nullopt);
}

TEST(FairWorkers, WhatIsVainEndsAtAPoint) {
  FairWorkers workers(quick());
  const std::atomic<bool> never = false;
  EXPECT_EQ(status_of_task(
                workers, [&] { compute_until(never); }, [] { throw ApiError(499, "gone"); }),
            499);
}

TEST(FairWorkers, OneClientLeavesLongPlacesToOthers) {
  FairWorkers::Limits limits = quick();
  limits.unfinished = 8;
  std::atomic<bool> stop = false;
  std::atomic<int> refused = 0, long_ones = 0;
  FairWorkers workers(limits);
  const auto post = [&](const std::string& client) {
    workers.post({.run =
                      [&] {
                        try {
                          Interruption::memory(0);  // which makes it long
                          ++long_ones;
                          compute_until(stop);
                        } catch (const ApiError& e) {
                          EXPECT_EQ(e.status(), 429);
                          ++refused;
                        }
                      },
                  .client = client});
  };
  for (int i = 0; i < 20; ++i) post("many");
  while (refused < 16) std::this_thread::sleep_for(1ms);
  post("one");
  while (long_ones < 5) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(refused, 16);
  stop = true;
  workers.close();
}

TEST(FairWorkers, MemoryOfLongTasksHasABound) {
  FairWorkers::Limits limits = quick();
  limits.memory = 100;
  std::atomic<int> have = 0, most = 0;
  Signal done;
  FairWorkers workers(limits);
  for (int i = 0; i < 6; ++i)
    workers.post([&] {
      Interruption::memory(40);
      most = std::max(most.load(), ++have);
      for (const auto until = FairWorkers::Clock::now() + 10ms; FairWorkers::Clock::now() < until;) Interruption::point();
      --have;
      done.set();
    });
  workers.post([&] {
    Interruption::memory(1000);  // more than all, alone
    done.set();
  });
  done.wait(7);
  EXPECT_LE(most, 2);
}

TEST(FairWorkers, MuchToReadIsLongFromTheBeginning) {
  FairWorkers::Limits limits = quick();
  limits.big = 100;
  limits.memory = 100 * 32 * 2;
  std::atomic<bool> stop = false;
  std::atomic<int> begun = 0;
  FairWorkers workers(limits);
  for (int i = 0; i < 6; ++i)
    workers.post({.run =
                      [&] {
                        ++begun;
                        compute_until(stop);
                      },
                  .bytes = 101});
  while (begun == 0) std::this_thread::sleep_for(1ms);
  Signal done;
  workers.post([&] { done.set(); });
  done.wait();
  EXPECT_EQ(begun, 1);  // a second would take too much
  stop = true;
  workers.close();
  EXPECT_EQ(begun, 6);
}

}  // namespace
}  // namespace skald::serve_test
