// RanksBackend: a backend whose model is computed by several ranks, threads of the test.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backend/ranks/follower.h"
#include "backend/ranks/leader.h"
#include "loading/loaded_model.h"
#include "tests/support/thread_group.h"

namespace skald::test {

/// The ranks after the first one. `own()` makes the backend of each.
class Followers {
 public:
  using Make = std::unique_ptr<Backend> (*)();

  Followers(std::shared_ptr<const LoadedModel> model, int ranks, const RankCut& cut, Make own) : model_(std::move(model)) {
    for (int rank = 0; rank < ranks; ++rank) groups_.push_back(std::make_shared<ThreadGroup>(boxes_, rank, ranks));
    for (int rank = 1; rank < ranks; ++rank)
      threads_.emplace_back([this, rank, cut, own] { run(*groups_[static_cast<size_t>(rank)], cut, *own()); });
  }
  ~Followers() {
    try {
      stop_followers(*groups_[0]);
    } catch (const Error&) {  // a rank failed: its test fails too
    }
    for (std::thread& t : threads_) t.join();
  }
  Followers(const Followers&) = delete;
  Followers& operator=(const Followers&) = delete;

  std::shared_ptr<Group> first() const { return groups_[0]; }
  Mailboxes& boxes() { return boxes_; }

 private:
  void run(Group& group, const RankCut& cut, Backend& own) {
    try {
      const StepModel steps = model_->step_model();
      follow(group, own, {steps.graph, steps.weights}, cut);
    } catch (const std::exception& e) {
      group.give_up(group.name_of(group.rank()) + ": " + e.what());
    }
  }

  std::shared_ptr<const LoadedModel> model_;
  Mailboxes boxes_;
  std::vector<std::shared_ptr<ThreadGroup>> groups_;
  std::vector<std::thread> threads_;
};

class RanksBackend : public Followers, public RankLeader {
 public:
  RanksBackend(std::shared_ptr<const LoadedModel> model, int ranks, const RankCut& cut, Make own)
      : Followers(std::move(model), ranks, cut, own), RankLeader(own(), first(), cut) {}
};

}  // namespace skald::test
