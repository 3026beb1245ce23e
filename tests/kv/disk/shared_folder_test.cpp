// Processes that share a folder of pages, and die at any time.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "base/rng.h"
#include "kv/disk/page_store.h"
#include "kv/disk/private_folder.h"
#include "kv/disk/record_file.h"
#include "tests/support/temp_dir.h"

namespace skald::shared_folder_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Payload = PageStore::Payload;

constexpr int kRecords = 120;
constexpr int64_t kMuch = int64_t{1} << 30;

std::vector<TokenId> tokens_of(int i) { return std::vector<TokenId>(64, i); }
RecordName name_of(int i) { return {next_key({}, tokens_of(i)), {}}; }
Payload payload_of(int i) { return Payload(20'000 + 500 * static_cast<size_t>(i % 7), static_cast<std::byte>(i)); }

std::optional<Payload> read(PageStore& store, int i) {
  std::promise<std::optional<Payload>> promise;
  store.read(name_of(i), tokens_of(i), [&](std::optional<Payload> payload) { promise.set_value(std::move(payload)); });
  return promise.get_future().get();
}

/// A process that runs `work`, with 0 for its end, until it is killed.
class Process {
 public:
  template <class Work>
  explicit Process(Work work) : id_(::fork()) {
    if (id_ != 0) return;
    ::alarm(100);  // where the test dies first
    ::_exit(work());
  }
  /// Its exit code; 0 where this ended it.
  int kill() {
    ::kill(id_, SIGKILL);
    int status = 0;
    ::waitpid(id_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  }

 private:
  pid_t id_;
};

bool look(PageStore& store, int i) {
  std::promise<void> looked;
  if (store.look({name_of(i)}, [&] { looked.set_value(); })) looked.get_future().wait();
  return store.has(name_of(i));
}

constexpr int kWrongBits = 3, kDamaged = 4;

/// Writes, reads, uses and erases, as long as it gets the right bits.
int use_at_random(const std::string& folder, int64_t most, uint64_t seed) {
  PageStore store(folder, most);
  for (Rng random(seed);;) {
    const int i = static_cast<int>(random.next() % kRecords);
    if (look(store, i)) {
      const std::optional<Payload> payload = read(store, i);
      if (payload && *payload != payload_of(i)) return kWrongBits;
      store.use(std::array{name_of(i)});
      if (random.next() % 50 == 0) store.erase(std::array{name_of(i)});
    } else if (store.can_write()) {
      store.write(name_of(i), tokens_of(i), payload_of(i));
    }
    if (store.status().corrupt > 0) return kDamaged;
  }
}

struct Found {
  int64_t bytes = 0, good = 0, damaged = 0;
  std::vector<std::string> unfinished;
};

Found look_at(const std::string& path) {
  Found out;
  const PrivateFolder folder(path);
  for (const std::string& file : folder.names()) {
    const auto content = folder.read(file, kMuch);
    if (!content) continue;
    if (PrivateFolder::unfinished(file)) {
      out.unfinished.push_back(file);
      continue;
    }
    out.bytes += std::ssize(*content);
    bool good = false;
    for (int i = 0; i < kRecords && !good; ++i) {
      const auto payload = file == file_name(name_of(i)) ? record_payload(*content, name_of(i), tokens_of(i)) : std::nullopt;
      good = payload && std::ranges::equal(*payload, payload_of(i));
    }
    ++(good ? out.good : out.damaged);
  }
  return out;
}

TEST(SharedFolder, StaysWholeAndWithinItsBytesWhereProcessesAreKilled) {
  constexpr int kProcesses = 3;
  constexpr int64_t kMost = 1'000'000;  // 45 of the records
  const test::TempDir dir;
  const std::string folder = dir.path("s");
  Rng random(7);
  const auto begin = [&] { return Process([&, seed = random.next()] { return use_at_random(folder, kMost, seed); }); };
  std::vector<Process> processes;
  for (int i = 0; i < kProcesses; ++i) processes.push_back(begin());
  int64_t largest = 0;
  for (int round = 0; round < 60; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5 + random.next() % 30));
    Process& victim = processes[random.next() % kProcesses];
    ASSERT_EQ(victim.kill(), 0);
    const Found found = look_at(folder);
    ASSERT_EQ(found.damaged, 0);
    largest = std::max(largest, found.bytes);
    victim = begin();
  }
  for (Process& process : processes) EXPECT_EQ(process.kill(), 0);
  constexpr int64_t kRecord = 25'000;
  EXPECT_LE(largest, kMost + kProcesses * (kMost / 32 + kRecord));
  EXPECT_GE(largest, kMost / 2);

  // The files that the killed ones had begun stay until they are old.
  const Found before = look_at(folder);
  { const PageStore store(folder, kMost); }
  EXPECT_EQ(look_at(folder).unfinished.size(), before.unfinished.size());
  for (const std::string& file : before.unfinished)
    fs::last_write_time(fs::path(folder) / file, fs::file_time_type::clock::now() - 2h);
  { const PageStore store(folder, kMost); }
  EXPECT_TRUE(look_at(folder).unfinished.empty());
}

TEST(SharedFolder, LosesNothingThatWasWrittenBeforeAKill) {
  const test::TempDir dir;
  const std::string folder = dir.path("s");
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const auto write_all = [&](int first) {
    PageStore store(folder, kMuch);
    for (int i = first; i < kRecords; i += 2) {
      store.write(name_of(i), tokens_of(i), payload_of(i));
      while (store.status().pages_written < (i - first) / 2 + 1) std::this_thread::yield();
      if (::write(pipe[1], &i, sizeof i) != sizeof i) return 1;
    }
    for (;;) ::pause();
  };
  Process even([&] { return write_all(0); }), odd([&] { return write_all(1); });
  ::close(pipe[1]);
  std::vector<int> written;
  int one = 0;
  while (written.size() < kRecords * 3 / 4 && ::read(pipe[0], &one, sizeof one) == sizeof one) written.push_back(one);
  EXPECT_EQ(even.kill(), 0);
  EXPECT_EQ(odd.kill(), 0);
  while (::read(pipe[0], &one, sizeof one) == sizeof one) written.push_back(one);
  ::close(pipe[0]);
  ASSERT_GE(written.size(), size_t{kRecords} * 3 / 4);
  PageStore store(folder, kMuch);
  for (const int i : written) {
    EXPECT_TRUE(store.has(name_of(i))) << i;
    EXPECT_EQ(read(store, i), payload_of(i)) << i;
  }
  EXPECT_EQ(store.status().corrupt, 0);
}

TEST(SharedFolder, ADamagedPageIsMadeGoodWhileOthersUseTheFolder) {
  const test::TempDir dir;
  PageStore one(dir.path("s"), kMuch), other(dir.path("s"), kMuch);
  const fs::path file = dir.path("s/" + file_name(name_of(1)));
  one.write(name_of(1), tokens_of(1), payload_of(1));
  while (one.status().pages_written < 1) std::this_thread::yield();
  ASSERT_TRUE(look(other, 1));
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(5000).put('x');
  EXPECT_EQ(read(one, 1), std::nullopt);
  EXPECT_EQ(read(other, 1), std::nullopt);
  EXPECT_EQ(one.status().corrupt + other.status().corrupt, 1);
  other.write(name_of(1), tokens_of(1), payload_of(1));
  while (other.status().pages_written < 1) std::this_thread::yield();
  EXPECT_EQ(read(one, 1), payload_of(1));
}

}  // namespace
}  // namespace skald::shared_folder_test
