// RedisTable: bytes by name in a Redis or Valkey server.
#pragma once

#include "stores/redis/redis_connection.h"
#include "stores/redis/redis_memory.h"
#include "stores/remote_table.h"

namespace skald {

/// Each name expires that is not used for a time, so that any policy of eviction applies to it. Where the server has no
/// limit of its own by which it removes names, nothing is written while it holds `most_bytes`.
class RedisTable final : public RemoteTable {
 public:
  RedisTable(RedisAddress address, int64_t most_bytes, RemoteTimes times);

  std::string kind() const override { return "redis"; }
  std::string label() const override { return connection_.address().label(); }
  int64_t most_bytes() const override { return int64_t{512} << 20; }
  std::chrono::seconds use_every() const override;

  void reach() override;
  RemoteRoom room() override;
  std::vector<bool> has(std::span<const std::string> names) override;
  void get(std::span<const std::string> names, const Got& got) override;
  Put put(const std::string& name, std::span<const std::byte> first, std::span<const std::byte> second) override;
  void remove(std::span<const std::string> names) override;
  std::vector<bool> touch(std::span<const std::string> names) override;

 private:
  std::string key(const std::string& name) const { return connection_.address().prefix + name; }
  std::vector<bool> flags(size_t n);
  RedisMemory memory();
  bool is_full(const RedisMemory& memory, int64_t bytes) const;

  RedisConnection connection_;
  const int64_t room_;
  const std::string expire_;
};

}  // namespace skald
