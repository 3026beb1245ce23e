// A Redis server by its protocol: a good one, and such as are slow, full, dead or something else.
#include "stores/redis/redis_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "kv/disk/record_store.h"
#include "tests/stores/redis/fake_redis.h"

namespace skald::redis_table_test {
namespace {

using namespace std::chrono_literals;
using test::FakeRedis;
using test::ScriptedServer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Command = FakeRedis::Command;

constexpr int64_t kRoom = 1000;

RedisTable table_of(int port, RedisAddress address = {}) {
  address.host = "127.0.0.1";
  address.port = port;
  return RedisTable(std::move(address), kRoom, {.connect = 2000ms, .operation = 200ms});
}

std::string info(const std::string& policy, int64_t used, int64_t most) {
  return FakeRedis::bulk("# Memory\r\nused_memory:" + std::to_string(used) + "\r\nmaxmemory:" + std::to_string(most) +
                         "\r\nmaxmemory_policy:" + policy + "\r\n");
}

std::string reply_of(const Command& command) {
  if (command[0] == "EXISTS") return ":0\r\n";
  if (command[0] == "INFO") return info("noeviction", 100, 0);
  if (command[0] == "GET") return command[1] == "skald:b" ? "$-1\r\n" : FakeRedis::bulk("text of " + command[1]);
  return "+OK\r\n";
}

std::vector<std::byte> bytes(const std::string& text) {
  const auto all = std::as_bytes(std::span(text));
  return {all.begin(), all.end()};
}

template <class F>
std::string failure(F&& f) {
  try {
    f();
  } catch (const StoreDown& e) {
    return e.what();
  }
  return "";
}

TEST(RedisTable, LogsInAndChoosesItsDatabase) {
  FakeRedis server(reply_of);
  table_of(server.port(), {.database = 3, .user = "me", .password = "pw"}).reach();
  EXPECT_THAT(server.commands(), ElementsAre(Command{"AUTH", "me", "pw"}, Command{"SELECT", "3"}, Command{"PING"}));
  FakeRedis other(reply_of);
  table_of(other.port(), {.password = "pw"}).reach();
  EXPECT_THAT(other.commands(), ElementsAre(Command{"AUTH", "pw"}, Command{"PING"}));
}

TEST(RedisTable, GetsInOrderWithOneQuestion) {
  FakeRedis server(reply_of);
  RedisTable table = table_of(server.port());
  std::vector<std::optional<RedisTable::Bytes>> got(3);
  table.get(std::vector<std::string>{"a", "b", "c"}, [&](size_t i, auto b) { got[i] = std::move(b); });
  EXPECT_EQ(got[0], bytes("text of skald:a"));
  EXPECT_EQ(got[1], std::nullopt);
  EXPECT_EQ(got[2], bytes("text of skald:c"));
  EXPECT_EQ(server.connections(), 1);
}

TEST(RedisTable, RepliesThatNobodyTookAreNotThoseOfTheNextCommand) {
  FakeRedis server(reply_of);
  RedisTable table = table_of(server.port());
  const auto no_memory = [](size_t, auto) { throw std::bad_alloc(); };
  EXPECT_THROW(table.get(std::vector<std::string>{"a", "c"}, no_memory), std::bad_alloc);
  std::optional<RedisTable::Bytes> got;
  table.get(std::vector<std::string>{"d"}, [&](size_t, auto b) { got = std::move(b); });
  EXPECT_EQ(got, bytes("text of skald:d"));
  EXPECT_EQ(server.connections(), 2);
}

TEST(RedisTable, WritesWithATimeAfterWhichItExpires) {
  FakeRedis server(reply_of);
  RedisTable table = table_of(server.port(), {.expire = 60s});
  EXPECT_EQ(table.put("a", bytes("one"), bytes("two")), RedisTable::Put::kWritten);
  EXPECT_EQ(server.commands().back(), (Command{"SET", "skald:a", "onetwo", "EX", "60"}));
  table.touch(std::vector<std::string>{"a"});
  EXPECT_EQ(server.commands().back(), (Command{"EXPIRE", "skald:a", "60"}));
}

TEST(RedisTable, WritesNothingThatIsThere) {
  FakeRedis server([](const Command& c) { return c[0] == "EXISTS" ? ":1\r\n" : reply_of(c); });
  RedisTable table = table_of(server.port());
  EXPECT_EQ(table.put("a", bytes("one"), {}), RedisTable::Put::kThere);
  for (const Command& c : server.commands()) EXPECT_NE(c[0], "SET");
}

TEST(RedisTable, LeavesRoomToAServerThatEvicts) {
  const auto with = [](const std::string& memory) {
    FakeRedis server([&](const Command& c) { return c[0] == "INFO" ? memory : reply_of(c); });
    RedisTable table = table_of(server.port());
    return std::pair(table.put("a", bytes("a page"), {}), table.room().bounded);
  };
  using Put = RedisTable::Put;
  EXPECT_EQ(with(info("noeviction", 990, 0)), std::pair(Put::kWritten, true));
  EXPECT_EQ(with(info("noeviction", 999, 0)), std::pair(Put::kNoRoom, true)) << "beyond what the store may hold";
  EXPECT_EQ(with(info("allkeys-lru", 5000, 6000)), std::pair(Put::kWritten, true)) << "the server makes room";
  EXPECT_EQ(with("-NOPERM no INFO for you\r\n"), std::pair(Put::kWritten, false)) << "names expire";
}

TEST(RedisTable, IsFullWhereTheServerSaysSo) {
  FakeRedis server([](const Command& c) { return c[0] == "SET" ? "-OOM command not allowed\r\n" : reply_of(c); });
  RedisTable table = table_of(server.port());
  EXPECT_EQ(table.put("a", bytes("one"), {}), RedisTable::Put::kNoRoom);
  EXPECT_EQ(table.has(std::vector<std::string>{"a"}), std::vector{false}) << "the connection stays";
  EXPECT_EQ(server.connections(), 1);
}

TEST(RedisTable, IsDownWhereTheServerSaysNothingInTime) {
  FakeRedis server([](const Command&) { return ""; });
  RedisTable table = table_of(server.port());
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_THAT(failure([&] { table.reach(); }), HasSubstr("200 ms"));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 5s);
}

TEST(RedisTable, IsDownWhereAReplyHasNoEnd) {
  ScriptedServer server([](std::string&) { return std::string("$1000\r\n"); });
  RedisTable table = table_of(server.port());
  EXPECT_THAT(failure([&] { table.get(std::vector<std::string>{"a"}, [](auto, auto) {}); }), HasSubstr("no reply within"));
}

TEST(RedisTable, IsDownAfterHalfAReplyAndConnectsAnew) {
  int asked = 0;
  FakeRedis server([&](const Command& c) { return ++asked == 1 ? std::string(ScriptedServer::kClose) : reply_of(c); });
  RedisTable table = table_of(server.port());
  EXPECT_THAT(failure([&] { table.has(std::vector<std::string>{"a"}); }), HasSubstr("closed the connection"));
  EXPECT_EQ(table.has(std::vector<std::string>{"a"}), std::vector{false});
  EXPECT_EQ(server.connections(), 2);
}

TEST(RedisTable, IsDownWhereItIsAnotherServer) {
  ScriptedServer server([](std::string&) { return std::string("HTTP/1.1 400 Bad Request\r\n\r\n"); });
  RedisTable table = table_of(server.port());
  EXPECT_THAT(failure([&] { table.reach(); }), HasSubstr("not one of Redis"));
}

TEST(RedisTable, IsDownWhereNobodyListens) {
  int port = 0;
  {
    FakeRedis server(reply_of);
    port = server.port();
  }
  EXPECT_THAT(failure([&] { table_of(port).reach(); }), HasSubstr("connect"));
}

TEST(RedisTable, SaysWhatTheServerRefusesWithoutThePassword) {
  FakeRedis server([](const Command&) { return "-WRONGPASS invalid username-password pair\r\n"; });
  RedisTable table = table_of(server.port(), {.user = "me", .password = "a secret"});
  const std::string said = failure([&] { table.reach(); });
  EXPECT_THAT(said, HasSubstr("WRONGPASS"));
  EXPECT_THAT(said + table.label(), Not(HasSubstr("a secret")));
  EXPECT_THAT(table.label(), Not(HasSubstr("me")));
}

}  // namespace
}  // namespace skald::redis_table_test
