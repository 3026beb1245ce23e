// Whose turn it is.
#include "engine/queue.h"

#include <gtest/gtest.h>

#include <map>

#include "base/rng.h"

namespace skald {
namespace {

struct Line {
  void come(RequestId id, const std::string& owner = {}, int priority = 0) {
    order.enter(owner);
    queue.push({.id = id,
                .request = {.prompt = {1}, .owner = owner, .priority = priority, .sampling = {}, .on_event = {}},
                .promise = {}});
  }
  // Who gets a place next; over at once.
  RequestId next() {
    Waiting* w = queue.next(order, [](const Waiting& w) { return !w.held; });
    if (!w) return 0;
    const Waiting got = queue.take(w->id);
    order.take(got.request.owner);
    order.leave(got.request.owner);
    return got.id;
  }
  std::vector<RequestId> all() {
    std::vector<RequestId> out;
    while (const RequestId id = next()) out.push_back(id);
    return out;
  }

  FairOrder order;
  Queue queue;
};

using Ids = std::vector<RequestId>;

TEST(Queue, GoesByArrivalWithinAnOwner) {
  Line line;
  for (const RequestId id : {1, 2, 3}) line.come(id);
  EXPECT_EQ(line.all(), (Ids{1, 2, 3}));
}

TEST(Queue, GoesByPriorityWithinAnOwner) {
  Line line;
  line.come(1, "a", 5);
  line.come(2, "a", 0);
  line.come(3, "a", -1);
  line.come(4, "a", 5);
  EXPECT_EQ(line.all(), (Ids{3, 2, 1, 4}));
}

TEST(Queue, TellsHowManyHaveTheirTurnBefore) {
  Line line;
  std::map<RequestId, std::vector<int64_t>> told;
  for (const RequestId id : {1, 2, 3, 4}) line.come(id, "many");
  for (const RequestId id : {5, 6}) line.come(id, "few", -id);
  for (const RequestId id : {1, 2, 3, 4, 5, 6})
    line.queue.find(id)->request.on_wait = [&told, id](int64_t before) { told[id].push_back(before); };
  line.queue.tell_turns(line.order);
  line.queue.tell_turns(line.order);
  const std::map<RequestId, std::vector<int64_t>> once{{1, {1}}, {2, {3}}, {3, {4}}, {4, {5}}, {5, {2}}, {6, {0}}};
  EXPECT_EQ(told, once);
  told.clear();
  Ids begun;
  for (RequestId id = line.next(); id != 0; id = line.next()) {
    begun.push_back(id);
    line.queue.tell_turns(line.order);
  }
  EXPECT_EQ(begun, (Ids{6, 1, 5, 2, 3, 4}));
  EXPECT_EQ(told[4], (std::vector<int64_t>{4, 3, 2, 1, 0}));
  EXPECT_EQ(told[6], (std::vector<int64_t>{}));
}

TEST(Queue, GivesAnOwnerNoMoreTurnsForItsPriority) {
  Line line;
  for (const RequestId id : {1, 2, 3}) line.come(id, "greedy", -100);
  for (const RequestId id : {4, 5, 6}) line.come(id, "modest", 100);
  EXPECT_EQ(line.all(), (Ids{1, 4, 2, 5, 3, 6}));
}

TEST(Queue, OwnersTakeTurns) {
  Line line;
  for (const RequestId id : {1, 2, 3, 4}) line.come(id, "busy");
  line.come(5, "b");
  line.come(6, "c");
  line.come(7, "c");
  EXPECT_EQ(line.all(), (Ids{1, 5, 6, 2, 7, 3, 4}));
}

TEST(Queue, ANewOwnerGoesBeforeWhoHadTheLastTurnButNotBeforeThoseThatWait) {
  Line line;
  for (const RequestId id : {1, 2, 3}) line.come(id, "a");
  for (const RequestId id : {4, 5}) line.come(id, "b");
  EXPECT_EQ(line.next(), 1);
  line.come(6, "new");
  EXPECT_EQ(line.all(), (Ids{4, 6, 2, 5, 3}));
}

TEST(Queue, NobodyStarvesBesideEverNewOwners) {
  Line line;
  for (const RequestId id : {1, 2, 3}) line.come(id, "old");
  Ids got;
  for (RequestId id = 10; id < 40; ++id) {
    line.come(2 * id, "a" + std::to_string(id));
    line.come(2 * id + 1, "b" + std::to_string(id));
    got.push_back(line.next());
  }
  for (const RequestId id : {1, 2, 3}) EXPECT_TRUE(std::ranges::count(got, id)) << id;
}

TEST(Queue, PassesOverThoseThatAreHeld) {
  Line line;
  line.come(1);
  line.come(2);
  line.queue.find(1)->held = true;
  EXPECT_EQ(line.next(), 2);
  EXPECT_EQ(line.next(), 0);
  line.queue.find(1)->held = false;
  EXPECT_EQ(line.next(), 1);
}

}  // namespace
}  // namespace skald
