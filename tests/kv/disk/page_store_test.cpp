// The disk tier's folder: what is written is read again, whatever happened to the files or the process in between.
#include "kv/disk/page_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "kv/disk/record_file.h"
#include "tests/support/temp_dir.h"

namespace skald::page_store_test {
namespace {

namespace fs = std::filesystem;
using Payload = PageStore::Payload;

constexpr int64_t kMuch = int64_t{1} << 30;

std::vector<TokenId> tokens_of(int i) { return std::vector<TokenId>(64, i); }
RecordName name_of(int i, int part = RecordPart::kPage) { return {next_key({}, tokens_of(i)), {part}}; }
Payload payload_of(int i, size_t bytes = 1000) { return Payload(bytes, static_cast<std::byte>(i)); }

std::optional<Payload> read(PageStore& store, int i, int part = RecordPart::kPage) {
  std::promise<std::optional<Payload>> promise;
  store.read(name_of(i, part), tokens_of(i), [&](std::optional<Payload> payload) { promise.set_value(std::move(payload)); });
  return promise.get_future().get();
}

// Until the file is there.
void write(PageStore& store, int i) {
  const int64_t before = store.status().pages_written;
  store.write(name_of(i), tokens_of(i), payload_of(i));
  while (store.status().pages_written == before) std::this_thread::yield();
}

std::string file_of(const test::TempDir& dir, int i) { return dir.path("s/" + file_name(name_of(i))); }

TEST(PageStore, WhatIsWrittenIsThereAfterARestart) {
  const test::TempDir dir;
  {
    PageStore store(dir.path("s"), kMuch);
    EXPECT_FALSE(store.has(name_of(1)));
    store.write(name_of(1), tokens_of(1), payload_of(1));
    EXPECT_TRUE(store.has(name_of(1)));
    store.write(name_of(1, 0), tokens_of(1), payload_of(1, 10));
  }
  PageStore store(dir.path("s"), kMuch);
  EXPECT_TRUE(store.has(name_of(1)));
  EXPECT_FALSE(store.has(name_of(2)));
  EXPECT_TRUE(store.has(name_of(1, 0)));
  EXPECT_EQ(read(store, 1), payload_of(1));
  EXPECT_EQ(read(store, 2), std::nullopt);
  const PrefixStore::Status status = store.status();
  EXPECT_EQ(status.pages, 1);
  EXPECT_EQ(status.pages_read, 1);
  EXPECT_EQ(status.bytes, 1010 + 2 * kRecordHead);
  EXPECT_EQ(status.corrupt, 0);
}

TEST(PageStore, ErasesWhatIsStillToBeWritten) {
  const test::TempDir dir;
  std::vector<RecordName> names;
  {
    PageStore store(dir.path("s"), kMuch);
    for (int i = 0; i < 50; ++i) {
      names.push_back(name_of(i));
      store.write(names.back(), tokens_of(i), payload_of(i, 100'000));
    }
    store.erase(names);
    for (const RecordName& name : names) EXPECT_FALSE(store.has(name));
    store.write(names[0], tokens_of(0), payload_of(0));
    EXPECT_TRUE(store.has(names[0])) << "it is wanted again";
  }
  PageStore store(dir.path("s"), kMuch);
  EXPECT_EQ(store.status().pages, 1);
  EXPECT_TRUE(store.has(names[0]));
}

TEST(PageStore, ReadsWhatIsStillToBeWritten) {
  const test::TempDir dir;
  PageStore store(dir.path("s"), kMuch);
  for (int i = 0; i < 20; ++i) store.write(name_of(i), tokens_of(i), payload_of(i, 100'000));
  for (int i = 19; i >= 0; --i) EXPECT_EQ(read(store, i), payload_of(i, 100'000)) << i;
}

/// Keeps the store's thread within a read until release().
class Blocked {
 public:
  explicit Blocked(PageStore& store) {
    store.read(name_of(1000), tokens_of(1000),
               [this, until = released_.get_future().share()](const std::optional<Payload>&) {
                 begun_.set_value();
                 until.wait();
               });
    begun_.get_future().wait();
  }
  void release() { released_.set_value(); }

 private:
  std::promise<void> begun_, released_;
};

TEST(PageStore, HasRoomForMoreWhereWhatWaitsIsErased) {
  const test::TempDir dir;
  PageStore store(dir.path("s"), kMuch);
  Blocked blocked(store);
  store.write(name_of(1), tokens_of(1), payload_of(1, PageStore::kMostWaiting));
  EXPECT_FALSE(store.can_write());
  store.erase(std::vector<RecordName>{name_of(1)});
  EXPECT_TRUE(store.can_write());
  blocked.release();
}

TEST(PageStore, ReadsNothingOfOtherTokensThatIsStillToBeWritten) {
  const test::TempDir dir;
  PageStore store(dir.path("s"), kMuch);
  Blocked blocked(store);
  store.write(name_of(1), tokens_of(1), payload_of(1));
  std::promise<std::optional<Payload>> read;
  store.read(name_of(1), tokens_of(2), [&](std::optional<Payload> payload) { read.set_value(std::move(payload)); });
  blocked.release();
  EXPECT_EQ(read.get_future().get(), std::nullopt);
}

// The clock of who wrote the files may have been ahead.
TEST(PageStore, WhatIsUsedNowWasUsedLastWhateverTheFilesSay) {
  const test::TempDir dir;
  const int64_t each = kRecordHead + 1000;
  {
    PageStore store(dir.path("s"), 2 * each);
    for (int i = 1; i < 3; ++i) write(store, i);
  }
  fs::last_write_time(file_of(dir, 1), fs::file_time_type::clock::now() + std::chrono::hours(1));
  PageStore store(dir.path("s"), 2 * each);
  store.use(std::vector<RecordName>{name_of(2)});
  write(store, 3);
  EXPECT_FALSE(store.has(name_of(1)));
  EXPECT_TRUE(store.has(name_of(2)));
}

TEST(PageStore, DamagedFilesAreAbsentAndCounted) {
  const test::TempDir dir;
  {
    PageStore store(dir.path("s"), kMuch);
    for (int i = 0; i < 4; ++i) write(store, i);
  }
  fs::resize_file(file_of(dir, 0), 500);
  std::ofstream(file_of(dir, 1), std::ios::app) << "more";
  fs::copy_file(file_of(dir, 3), file_of(dir, 2), fs::copy_options::overwrite_existing);
  PageStore store(dir.path("s"), kMuch);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(read(store, i), std::nullopt) << i;
    EXPECT_FALSE(store.has(name_of(i)));
    EXPECT_FALSE(fs::exists(file_of(dir, i)));
  }
  EXPECT_EQ(read(store, 3), payload_of(3));
  EXPECT_EQ(store.status().corrupt, 3);
  EXPECT_EQ(store.status().pages, 1);
  write(store, 0);
  EXPECT_EQ(read(store, 0), payload_of(0));
}

TEST(PageStore, FilesThatGoUnderneathAreAbsent) {
  const test::TempDir dir;
  PageStore store(dir.path("s"), kMuch);
  write(store, 1);
  fs::remove(file_of(dir, 1));
  EXPECT_EQ(read(store, 1), std::nullopt);
  EXPECT_FALSE(store.has(name_of(1)));
  EXPECT_EQ(store.status().corrupt, 0);
}

TEST(PageStore, StrangersStayAndAbandonedFilesGo) {
  const test::TempDir dir;
  fs::create_directory(dir.path("s"));
  dir.write("s/stranger.txt", "hello");
  const std::string ending = ".0123456789abcdef.unfinished";
  std::vector<fs::path> begun;
  for (const std::string& name : {file_name(name_of(1)), file_name(name_of(5)), std::string("mine")})
    begun.emplace_back(dir.write("s/" + name + ending, "half"));
  for (const fs::path& path : {begun[0], begun[2]})
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(2));
  fs::create_directory(file_of(dir, 2));
  fs::create_symlink("/etc/hostname", file_of(dir, 3));
  PageStore store(dir.path("s"), kMuch);
  EXPECT_TRUE(fs::exists(dir.path("s/stranger.txt")));
  EXPECT_FALSE(fs::exists(begun[0]));
  EXPECT_TRUE(fs::exists(begun[1])) << "another process may be writing it";
  EXPECT_TRUE(fs::exists(begun[2])) << "of no record";
  for (int i = 2; i < 4; ++i) {
    EXPECT_FALSE(store.has(name_of(i)));
    EXPECT_EQ(read(store, i), std::nullopt);
  }
  store.write(name_of(2), tokens_of(2), payload_of(2));  // a folder is in its place
  write(store, 4);
  EXPECT_FALSE(store.has(name_of(2)));
  EXPECT_TRUE(fs::is_directory(file_of(dir, 2)));
}

TEST(PageStore, KeepsWithinItsQuotaWhatWasUsedLast) {
  const test::TempDir dir;
  const int64_t each = kRecordHead + 1000;
  {
    PageStore store(dir.path("s"), 3 * each);
    for (int i = 0; i < 3; ++i) write(store, i);
    store.use(std::vector<RecordName>{name_of(0)});
    write(store, 3);
    EXPECT_TRUE(store.has(name_of(0)));
    EXPECT_FALSE(store.has(name_of(1)));
    EXPECT_EQ(store.status().pages, 3);
    EXPECT_EQ(store.status().bytes, 3 * each);
    EXPECT_EQ(store.status().pages_removed, 1);
    store.write(name_of(9), tokens_of(9), payload_of(9, 4000));  // more than all
    EXPECT_TRUE(read(store, 0));
  }
  // A smaller quota is kept from the start on, and the files know when they were used.
  PageStore store(dir.path("s"), each);
  EXPECT_EQ(store.status().pages, 1);
  EXPECT_TRUE(store.has(name_of(0)));
}

TEST(PageStore, OfAPathTheFirstPagesStayLongest) {
  const test::TempDir dir;
  const int64_t each = kRecordHead + 1000;
  PageStore store(dir.path("s"), 3 * each);
  for (int i = 0; i < 3; ++i) write(store, i);
  store.use(std::vector<RecordName>{name_of(0), name_of(1), name_of(2)});
  write(store, 3);
  EXPECT_FALSE(store.has(name_of(2)));
  EXPECT_TRUE(store.has(name_of(0)));
}

TEST(PageStore, OfAPathThatIsStillToBeWrittenTheFirstPagesStayLongest) {
  const test::TempDir dir;
  const int64_t each = kRecordHead + 1000;
  {
    PageStore store(dir.path("s"), 3 * each);
    Blocked blocked(store);
    std::vector<RecordName> path;
    for (int i = 0; i < 3; ++i) {
      path.push_back(name_of(i));
      store.write(path.back(), tokens_of(i), payload_of(i));
    }
    store.use(path);
    blocked.release();
    while (store.status().pages_written < 3) std::this_thread::yield();
    write(store, 3);
    EXPECT_FALSE(store.has(name_of(2)));
    store.erase(std::vector<RecordName>{name_of(3)});
  }
  PageStore store(dir.path("s"), each);
  EXPECT_TRUE(store.has(name_of(0))) << "the files know it, too";
}

TEST(PageStore, ErasesFiles) {
  const test::TempDir dir;
  PageStore store(dir.path("s"), kMuch);
  write(store, 1);
  store.erase(std::vector<RecordName>{name_of(1), name_of(2)});
  EXPECT_FALSE(store.has(name_of(1)));
  write(store, 3);
  EXPECT_FALSE(fs::exists(file_of(dir, 1)));
}

TEST(PageStore, TellsWhenMoreMayBeWritten) {
  const test::TempDir dir;
  PageStore store(dir.path("s"), kMuch);
  std::promise<void> told;
  store.on_room(&told, [&, once = false]() mutable {
    if (!std::exchange(once, true)) told.set_value();
  });
  store.write(name_of(1), tokens_of(1), payload_of(1, PageStore::kMostWaiting));
  told.get_future().wait();
  EXPECT_TRUE(store.can_write());
  store.forget(&told);
}

TEST(PageStore, TellsNothingToWhoWantsToHearNoMore) {
  const test::TempDir dir;
  PageStore store(dir.path("s"), kMuch);
  std::promise<void> told;
  int gone = 0;
  store.on_room(&gone, [&] { ++gone; });
  store.on_room(&told, [&] { told.set_value(); });
  store.forget(&gone);
  store.write(name_of(1), tokens_of(1), payload_of(1));
  told.get_future().wait();
  EXPECT_EQ(gone, 0);
  store.forget(&told);
}

}  // namespace
}  // namespace skald::page_store_test
