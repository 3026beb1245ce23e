// Records on a server: what comes back is what was written, or is absent.
#include "stores/remote_records.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "kv/disk/record_file.h"

namespace skald::remote_records_test {
namespace {

using Payload = RecordStore::Payload;

std::vector<TokenId> tokens_of(int i) { return std::vector<TokenId>(64, i); }
RecordName name_of(int i) { return {next_key({}, tokens_of(i)), {}}; }
Payload payload_of(int i) { return Payload(200, static_cast<std::byte>(i)); }

/// What a server holds.
using Held = std::map<std::string, RemoteTable::Bytes>;

class FakeTable final : public RemoteTable {
 public:
  explicit FakeTable(Held& held) : held_(held) {}
  std::string kind() const override { return "fake"; }
  std::string label() const override { return "fake"; }
  int64_t most_bytes() const override { return 1000; }
  std::chrono::seconds use_every() const override { return std::chrono::seconds(60); }
  void reach() override {}
  RemoteRoom room() override { return {}; }
  std::vector<bool> has(std::span<const std::string> names) override {
    std::vector<bool> out;
    for (const std::string& name : names) out.push_back(held_.contains(name));
    return out;
  }
  void get(std::span<const std::string> names, const Got& got) override {
    for (size_t i = 0; i < names.size(); ++i)
      got(i, held_.contains(names[i]) ? std::optional(held_[names[i]]) : std::nullopt);
  }
  Put put(const std::string& name, std::span<const std::byte> first, std::span<const std::byte> second) override {
    if (held_.contains(name)) return Put::kThere;
    if (held_.size() >= 3) return Put::kNoRoom;
    Bytes& bytes = held_[name];
    bytes.assign(first.begin(), first.end());
    bytes.insert(bytes.end(), second.begin(), second.end());
    return Put::kWritten;
  }
  void remove(std::span<const std::string> names) override {
    for (const std::string& name : names) held_.erase(name);
  }
  std::vector<bool> touch(std::span<const std::string> names) override { return has(names); }

 private:
  Held& held_;
};

class RemoteRecordsTest : public testing::Test {
 protected:
  std::optional<Payload> read(int i) {
    std::optional<Payload> out;
    records_.read(std::vector<RecordStore::Wanted>{{name_of(i), tokens_of(i)}},
                  [&](size_t, std::optional<Payload> payload) { out = std::move(payload); });
    return out;
  }
  bool write(int i) { return records_.write(name_of(i), tokens_of(i), payload_of(i)); }

  Held held_;
  RemoteRecords records_{std::make_unique<FakeTable>(held_)}, other_{std::make_unique<FakeTable>(held_)};
};

TEST_F(RemoteRecordsTest, HoldsTheBytesOfAFile) {
  ASSERT_TRUE(write(1));
  const auto payload = record_payload(held_.at(file_name(name_of(1))), name_of(1), tokens_of(1));
  ASSERT_TRUE(payload);
  EXPECT_TRUE(std::ranges::equal(*payload, payload_of(1)));
  EXPECT_EQ(read(1), payload_of(1));
  EXPECT_EQ(records_.status().pages_written, 1);
  EXPECT_EQ(records_.status().pages_read, 1);
}

TEST_F(RemoteRecordsTest, AnyFlippedBitIsFoundRemovedAndMadeGood) {
  const auto bits = 8 * (kRecordHead + std::ssize(payload_of(1)));
  for (int64_t bit = 0; bit < bits; bit += 89) {
    ASSERT_TRUE(write(1));
    held_.begin()->second[static_cast<size_t>(bit / 8)] ^= std::byte{1} << (bit % 8);
    ASSERT_EQ(read(1), std::nullopt) << bit;
    ASSERT_TRUE(held_.empty());
    ASSERT_FALSE(records_.knows(name_of(1)));
  }
  EXPECT_EQ(records_.status().corrupt, (bits + 88) / 89);
}

TEST_F(RemoteRecordsTest, ShortLongAndForeignValuesAreAbsent) {
  for (const size_t size : {0u, 10u, 500u}) {
    held_[file_name(name_of(1))] = RemoteTable::Bytes(size);
    EXPECT_EQ(read(1), std::nullopt);
    EXPECT_TRUE(held_.empty());
  }
  ASSERT_TRUE(write(2));
  held_[file_name(name_of(1))] = held_.begin()->second;
  EXPECT_EQ(read(1), std::nullopt);
}

TEST_F(RemoteRecordsTest, LearnsByALookAndByAUse) {
  write(1);
  EXPECT_FALSE(other_.knows(name_of(1)));
  other_.look(std::vector{name_of(1), name_of(2)});
  EXPECT_TRUE(other_.knows(name_of(1)));
  EXPECT_FALSE(other_.knows(name_of(2)));
  held_.clear();  // the server made room
  other_.tell_uses(std::vector<RecordStore::Use>{{name_of(1), 1}});
  EXPECT_FALSE(other_.knows(name_of(1))) << "it is written again";
}

TEST_F(RemoteRecordsTest, TellsAUseNowAndThenOnly) {
  write(1);
  const int64_t now = records_.next_use(), minute = int64_t{61} * 1'000'000'000;
  EXPECT_FALSE(records_.use(name_of(1), now));
  EXPECT_TRUE(records_.use(name_of(1), now + minute));
  EXPECT_FALSE(records_.use(name_of(1), now + minute + 1));
  EXPECT_FALSE(records_.use(name_of(2), now + minute));
}

TEST_F(RemoteRecordsTest, WritesNothingThatIsTooLargeOrHasNoRoom) {
  EXPECT_FALSE(records_.write(name_of(1), tokens_of(1), Payload(2000)));
  for (int i = 1; i <= 3; ++i) EXPECT_TRUE(write(i));
  EXPECT_FALSE(write(4));
  EXPECT_FALSE(records_.knows(name_of(4)));
  EXPECT_TRUE(other_.write(name_of(1), tokens_of(1), payload_of(1))) << "it is there";
  EXPECT_EQ(other_.status().pages_written, 0);
}

}  // namespace
}  // namespace skald::remote_records_test
