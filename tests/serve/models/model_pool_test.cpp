// Models of a folder: how requests get them, wait for them, and hear that there is none.
#include "serve/models/model_pool.h"

#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "serve/api_error.h"
#include "tests/serve/parked.h"
#include "tests/support/paths.h"
#include "tests/support/temp_dir.h"

namespace skald::serve_test {
namespace {

using serve::ApiError;
using serve::FairWorkers;
using serve::Lease;
using serve::ModelPool;
using serve::ServeOptions;
using State = ModelPool::State;
using ::testing::HasSubstr;

template <class F>
ApiError refusal_of(F f) {
  try {
    f();
  } catch (const ApiError& e) {
    return e;
  }
  return {0, "nothing was thrown"};
}

// The outcome of one that waits.
struct Outcome {
  std::atomic<bool> gone = false;
  Signal told;
  Lease model;
  std::exception_ptr error;

  ApiError refusal() {
    told.wait();
    return refusal_of([&] { std::rethrow_exception(error); });
  }
};

ModelPool::Waiter waiter_of(const std::shared_ptr<Outcome>& out, const std::string& client) {
  return {.client = client,
          .gone = [out] { return out->gone.load(); },
          .ready =
              [out](Lease model, const std::exception_ptr& error) {
                out->model = std::move(model);
                out->error = error;
                out->told.set();
              }};
}

// A folder with the models "one" and "two", of which one is loaded at a time.
class Pool : public ::testing::Test {
 protected:
  Pool() {
    for (const char* name : {"one", "two"})
      std::filesystem::copy_file(test::data_dir() / "golden/gpt2/model.gguf", folder_.path(std::string(name) + ".gguf"));
  }
  ~Pool() override { workers_.close(); }

  void SetUp() override { pool_.emplace(options_, workers_); }
  ServeOptions options() const {
    ServeOptions out;
    out.models_dir = folder_.path("");
    out.models_max = 1;
    out.engine.schedule.max_waiting = 4;
    return out;
  }
  void remove(const std::string& name) { std::filesystem::remove(folder_.path(name + ".gguf")); }
  std::shared_ptr<Outcome> wait_for(const std::string& name, const std::string& client = "") {
    auto out = std::make_shared<Outcome>();
    pool_->wait_for(name, waiter_of(out, client));
    return out;
  }
  Lease load(const std::string& name) {
    const auto out = wait_for(name);
    out->told.wait();
    return std::move(out->model);
  }
  std::map<std::string, State> states() {
    std::map<std::string, State> out;
    for (const ModelPool::Entry& entry : pool_->list()) out[entry.id] = entry.state;
    return out;
  }

  test::TempDir folder_;
  const ServeOptions options_ = options();
  FairWorkers workers_{FairWorkers::Limits{}};
  std::optional<ModelPool> pool_;
};

TEST_F(Pool, LoadsWhatIsWaitedForAndThenHasIt) {
  EXPECT_EQ(pool_->get("one"), nullptr);
  const Lease loaded = load("one");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->id(), "one");
  EXPECT_EQ(pool_->get("one").get(), loaded.get());
  EXPECT_EQ(states(), (std::map<std::string, State>{{"one", State::kLoaded}, {"two", State::kUnloaded}}));
}

TEST_F(Pool, AModelMakesWayOnceItIsIdle) {
  Lease one = load("one");
  const auto two = wait_for("two");
  EXPECT_EQ(two->told.count(), 0);
  one.reset();
  two->told.wait();
  EXPECT_EQ(two->model->id(), "two");
  EXPECT_EQ(states(), (std::map<std::string, State>{{"one", State::kUnloaded}, {"two", State::kLoaded}}));
}

TEST_F(Pool, NewerRequestsDoNotKeepAModelInUseForEver) {
  pool_.emplace(options_, workers_, std::chrono::milliseconds(0));
  Lease one = load("one");
  const auto two = wait_for("two");
  EXPECT_EQ(pool_->get("one"), nullptr);
  const auto again = wait_for("one");
  EXPECT_EQ(again->told.count(), 0);
  one.reset();
  two->told.wait();
  ASSERT_TRUE(two->model);
  EXPECT_EQ(again->told.count(), 0);
  two->model.reset();
  again->told.wait();
  EXPECT_EQ(again->model->id(), "one");
}

TEST_F(Pool, ARequestThatWaitsForAShortTimeHoldsNoOtherBack) {
  pool_.emplace(options_, workers_, std::chrono::hours(1));
  const Lease one = load("one");
  const auto two = wait_for("two");
  EXPECT_TRUE(pool_->get("one"));
  const auto again = wait_for("one");
  again->told.wait();
  EXPECT_TRUE(again->model);
  EXPECT_EQ(two->told.count(), 0);
}

TEST_F(Pool, OneThatLeftHoldsNoOtherBack) {
  pool_.emplace(options_, workers_, std::chrono::milliseconds(0));
  const Lease one = load("one");
  const auto two = wait_for("two"), again = wait_for("one");
  EXPECT_EQ(again->told.count(), 0);
  two->gone = true;
  pool_->look_again();
  again->told.wait();
  EXPECT_EQ(again->model->id(), "one");
}

TEST_F(Pool, AModelThatCameIsGivenToItsWaitersBeforeItMakesWay) {
  std::filesystem::copy_file(folder_.path("one.gguf"), folder_.path("three.gguf"));
  Lease one = load("one");
  const auto two = wait_for("two", "a"), three = wait_for("three", "b");
  one.reset();
  two->told.wait();
  ASSERT_TRUE(two->model);
  EXPECT_EQ(three->told.count(), 0);
  two->model.reset();
  three->told.wait();
  EXPECT_EQ(three->model->id(), "three");
}

TEST_F(Pool, AModelThatVanishedWhileItIsWaitedForIsRefusedByName) {
  for (const bool listed : {false, true}) {
    if (listed) std::filesystem::copy_file(folder_.path("one.gguf"), folder_.path("two.gguf"));
    Lease one = load("one");
    const auto two = wait_for("two");
    remove("two");
    if (listed) pool_->list();  // which reads the folder again
    one.reset();
    const ApiError why = two->refusal();
    EXPECT_EQ(why.status(), 404);
    EXPECT_EQ(why.code(), "model_not_found");
    EXPECT_THAT(why.message(), HasSubstr("two"));
    EXPECT_EQ(states(), (std::map<std::string, State>{{"one", State::kLoaded}}));
  }
}

TEST_F(Pool, AModelThatVanishedBeforeItIsAskedForIsRefusedByName) {
  remove("two");
  EXPECT_EQ(refusal_of([&] { pool_->get("two"); }).status(), 404);
  EXPECT_EQ(refusal_of([&] { wait_for("two"); }).status(), 404);
}

TEST_F(Pool, AModelThatCannotBeLoadedIsRefusedByName) {
  folder_.write("broken.gguf", "GGUF");
  const auto broken = wait_for("broken");
  const ApiError why = broken->refusal();
  EXPECT_EQ(why.status(), 500);
  EXPECT_THAT(why.message(), HasSubstr("the model broken cannot be loaded"));
  EXPECT_EQ(load("one")->id(), "one");
}

TEST_F(Pool, AWaiterThatIsGoneLeavesAndNoModelMakesWay) {
  for (const bool noticed : {false, true}) {
    Lease one = load("one");
    const auto two = wait_for("two");
    two->gone = true;
    if (noticed) pool_->look_again();
    EXPECT_EQ(two->told.count(), noticed);
    one.reset();
    two->told.wait();
    EXPECT_EQ(two->model, nullptr);
    EXPECT_EQ(two->error, nullptr);
    EXPECT_EQ(states(), (std::map<std::string, State>{{"one", State::kLoaded}, {"two", State::kUnloaded}}));
  }
}

TEST_F(Pool, AnotherWaiterIsServedThoughTheFirstIsGone) {
  Lease one = load("one");
  folder_.write("broken.gguf", "GGUF");
  const auto gone = wait_for("broken"), stays = wait_for("two");
  gone->gone = true;
  one.reset();
  stays->told.wait();
  EXPECT_EQ(stays->model->id(), "two");
  gone->told.wait();
  EXPECT_EQ(gone->error, nullptr);
  EXPECT_EQ(states()["broken"], State::kUnloaded);
}

TEST_F(Pool, FewWaitAndOneClientLeavesPlacesForOthers) {
  const Lease one = load("one");
  std::vector<std::shared_ptr<Outcome>> waiting;
  const auto refused = [&](const std::string& client) {
    return refusal_of([&] { waiting.push_back(wait_for("two", client)); }).status() == 503;
  };
  EXPECT_FALSE(refused("many"));
  EXPECT_FALSE(refused("many"));
  EXPECT_TRUE(refused("many"));
  EXPECT_FALSE(refused("other"));
  EXPECT_FALSE(refused("third"));
  EXPECT_TRUE(refused("fourth"));
  waiting.front()->gone = true;
  pool_->look_again();
  EXPECT_FALSE(refused("fourth"));
  pool_->refuse_waiting(std::make_exception_ptr(ApiError(503, "the end")));
  EXPECT_EQ(waiting.back()->refusal().message(), "the end");
  EXPECT_EQ(waiting[1]->refusal().message(), "the end");
}

}  // namespace
}  // namespace skald::serve_test
