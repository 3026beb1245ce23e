// What a process knows of a folder in which others write, use and remove records, too.
#include "kv/disk/record_folder.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "kv/disk/record_file.h"
#include "tests/support/temp_dir.h"

namespace skald::record_folder_test {
namespace {

namespace fs = std::filesystem;
using Payload = RecordFolder::Payload;

constexpr int64_t kMuch = int64_t{1} << 30, kEach = kRecordHead + 1000;

std::vector<TokenId> tokens_of(int i) { return std::vector<TokenId>(64, i); }
RecordName name_of(int i) { return {next_key({}, tokens_of(i)), {}}; }
Payload payload_of(int i) { return Payload(1000, static_cast<std::byte>(i)); }

bool write(RecordFolder& folder, int i) { return folder.write(name_of(i), tokens_of(i), payload_of(i)); }
std::optional<Payload> read(RecordFolder& folder, int i) {
  std::optional<Payload> out;
  folder.read(std::vector<RecordStore::Wanted>{{name_of(i), tokens_of(i)}},
              [&](size_t, std::optional<Payload> payload) { out = std::move(payload); });
  return out;
}
bool look(RecordFolder& folder, int i) {
  folder.look(std::array{name_of(i)});
  return folder.knows(name_of(i));
}
void remove(RecordFolder& folder, int i) { folder.remove(std::array{name_of(i)}); }

class RecordFolderTest : public testing::Test {
 protected:
  std::string path() const { return dir_.path("s"); }
  fs::path file(int i) const { return dir_.path("s/" + file_name(name_of(i))); }

  const test::TempDir dir_;
};

TEST_F(RecordFolderTest, FindsWhatAnotherProcessWrote) {
  RecordFolder one(path(), kMuch), other(path(), kMuch);
  write(one, 1);
  EXPECT_FALSE(other.knows(name_of(1)));
  EXPECT_TRUE(look(other, 1));
  EXPECT_EQ(read(other, 1), payload_of(1));
  EXPECT_EQ(other.status().pages, 1);
  EXPECT_EQ(other.status().bytes, kEach);
}

TEST_F(RecordFolderTest, ALookAroundFindsAllThatOthersWroteAndRemoved) {
  RecordFolder one(path(), kMuch), other(path(), kMuch);
  for (int i = 0; i < 3; ++i) write(one, i);
  other.look_around();
  EXPECT_EQ(other.status().pages, 3);
  remove(one, 0);
  other.look_around();
  EXPECT_EQ(other.status().pages, 2);
  EXPECT_FALSE(other.knows(name_of(0)));
  EXPECT_EQ(other.status().pages_removed, 0) << "it did not remove it itself";
}

TEST_F(RecordFolderTest, LooksAroundAfterHalfAMinuteOrMuchWriting) {
  constexpr int64_t kMost = RecordFolder::kSlackParts * 2 * kEach;
  RecordFolder folder(path(), kMost);
  const auto in = [&] { return folder.next_look() - RecordFolder::Clock::now(); };
  EXPECT_GT(in(), std::chrono::seconds(20));
  EXPECT_LE(in(), std::chrono::seconds(30));
  for (int i = 0; i < 2; ++i) write(folder, i);
  EXPECT_GT(in(), std::chrono::seconds(20));
  write(folder, 2);
  EXPECT_LT(in(), std::chrono::seconds(0));
  folder.look_around();
  EXPECT_GT(in(), std::chrono::seconds(20));
}

TEST_F(RecordFolderTest, WhatAnotherProcessRemovedIsAbsentAndNotDamaged) {
  RecordFolder one(path(), kMuch), other(path(), kMuch);
  write(one, 1);
  EXPECT_TRUE(look(other, 1));
  remove(one, 1);
  EXPECT_EQ(read(other, 1), std::nullopt);
  EXPECT_FALSE(look(other, 1));
  EXPECT_EQ(other.status().corrupt, 0);
}

TEST_F(RecordFolderTest, MakesRoomByWhatNoProcessUsedLately) {
  RecordFolder one(path(), 3 * kEach);
  for (int i = 0; i < 3; ++i) write(one, i);
  RecordFolder other(path(), 3 * kEach);
  const int64_t used = other.next_use();
  other.use(name_of(0), used);
  other.tell_uses(std::array{RecordStore::Use{name_of(0), used}});
  write(one, 3);
  EXPECT_TRUE(fs::exists(file(0)));
  EXPECT_FALSE(fs::exists(file(1)));
  EXPECT_EQ(one.status().pages_removed, 1);
}

TEST_F(RecordFolderTest, FilesThatOthersRemovedMakeRoom) {
  RecordFolder one(path(), 3 * kEach), other(path(), 3 * kEach);
  for (int i = 0; i < 3; ++i) write(one, i);
  remove(other, 0);
  write(one, 3);
  EXPECT_TRUE(fs::exists(file(1)));
  EXPECT_EQ(one.status().pages_removed, 0);
}

TEST_F(RecordFolderTest, SeveralThatMakeRoomStayWithinTheirBytesAndTheSlack) {
  constexpr int64_t kMost = 64 * kEach, kSlack = kMost / RecordFolder::kSlackParts;
  RecordFolder one(path(), kMost), two(path(), kMost), three(path(), kMost);
  int64_t largest = 0;
  for (int i = 0; i < 600; ++i) {
    RecordFolder& folder = *std::array{&one, &two, &three}[static_cast<size_t>(i % 3)];
    write(folder, i);
    if (RecordFolder::Clock::now() >= folder.next_look()) folder.look_around();
    int64_t bytes = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(path())) bytes += static_cast<int64_t>(entry.file_size());
    largest = std::max(largest, bytes);
  }
  EXPECT_LE(largest, kMost + 2 * (kSlack + kEach));
  EXPECT_GE(largest, kMost - kEach) << "the room is used";
  for (int i = 560; i < 600; ++i) EXPECT_TRUE(fs::exists(file(i))) << i << ": it is among the newest";
}

TEST_F(RecordFolderTest, WritesNothingThatIsThere) {
  RecordFolder one(path(), kMuch), other(path(), kMuch);
  write(one, 1);
  const auto before = fs::last_write_time(file(1));
  EXPECT_TRUE(write(other, 1));
  EXPECT_TRUE(other.knows(name_of(1)));
  EXPECT_EQ(other.status().pages_written, 0);
  EXPECT_GT(fs::last_write_time(file(1)), before) << "it was used";
  fs::resize_file(file(1), 500);  // cannot be it
  EXPECT_TRUE(write(other, 1));
  EXPECT_EQ(read(one, 1), payload_of(1));
}

TEST_F(RecordFolderTest, AnyDamageIsFoundRemovedAndMadeGood) {
  RecordFolder one(path(), kMuch), other(path(), kMuch);
  for (int64_t bit = 0; bit < 8 * kEach; bit += 97) {
    write(one, 1);
    std::fstream stream(file(1), std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(bit / 8);
    const auto byte = static_cast<char>(stream.get() ^ 1 << bit % 8);
    stream.seekp(bit / 8);
    stream.put(byte);
    stream.close();
    ASSERT_EQ(read(other, 1), std::nullopt) << bit;
    ASSERT_FALSE(fs::exists(file(1)));
    ASSERT_EQ(read(one, 1), std::nullopt) << "it is gone for all";
  }
  EXPECT_GT(other.status().corrupt, 90);
  EXPECT_EQ(one.status().corrupt, 0);
}

// Another clock is ahead.
TEST_F(RecordFolderTest, UsesAreLaterThanThoseThatAreKnown) {
  RecordFolder one(path(), 2 * kEach), other(path(), 2 * kEach);
  write(one, 1);
  fs::last_write_time(file(1), fs::file_time_type::clock::now() + std::chrono::seconds(20));
  write(other, 2);
  EXPECT_TRUE(look(other, 1));
  other.use(name_of(2), other.next_use());
  write(other, 3);
  EXPECT_FALSE(fs::exists(file(1)));
  EXPECT_TRUE(fs::exists(file(2)));
}

}  // namespace
}  // namespace skald::record_folder_test
