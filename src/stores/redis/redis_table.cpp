#include "stores/redis/redis_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/size_text.h"

namespace skald {
namespace {

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

RedisTable::RedisTable(RedisAddress address, int64_t most_bytes, RemoteTimes times)
    : connection_(std::move(address), times),
      room_(most_bytes),
      expire_(fmt::to_string(connection_.address().expire.count())) {}

std::chrono::seconds RedisTable::use_every() const {
  return std::min(std::chrono::seconds(60), connection_.address().expire / 4);
}

void RedisTable::reach() {
  connection_.open();
  connection_.begin();
  connection_.add({"PING"});
  connection_.reply();
}

// A user may be denied INFO.
RedisMemory RedisTable::memory() {
  const RedisReply reply = connection_.reply("NOPERM");
  return reply.kind == RedisReply::Kind::kString ? redis_memory(reply.text()) : RedisMemory{};
}

RemoteRoom RedisTable::room() {
  connection_.begin();
  connection_.add({"INFO", "memory"});
  const RedisMemory memory = this->memory();
  RemoteRoom out{.bounded = true, .used = memory.used};
  if (memory.evicts())
    out.how = fmt::format("the server's maxmemory of {}, by {}", size_text(memory.most), memory.policy);
  else if (memory.used)
    out.how = fmt::format("no writes while it holds {}, and names expire", size_text(room_));
  else
    out = {.how = "names expire: the server does not tell its memory (INFO)"};
  return out;
}

bool RedisTable::is_full(const RedisMemory& memory, int64_t bytes) const {
  return !memory.evicts() && memory.used + bytes > room_;
}

std::vector<bool> RedisTable::flags(size_t n) {
  std::vector<bool> out(n);
  for (size_t i = 0; i < n; ++i) out[i] = connection_.reply().integer == 1;
  return out;
}

std::vector<bool> RedisTable::has(std::span<const std::string> names) {
  connection_.begin();
  for (const std::string& name : names) connection_.add({"EXISTS", key(name)});
  return flags(names.size());
}

void RedisTable::get(std::span<const std::string> names, const Got& got) {
  connection_.begin();
  for (const std::string& name : names) connection_.add({"GET", key(name)});
  for (size_t i = 0; i < names.size(); ++i) {
    RedisReply reply = connection_.reply();
    got(i, reply.kind == RedisReply::Kind::kString ? std::optional(std::move(reply.bytes)) : std::nullopt);
  }
}

RemoteTable::Put RedisTable::put(const std::string& name, std::span<const std::byte> first,
                                 std::span<const std::byte> second) {
  const std::string at = key(name);
  connection_.begin();
  connection_.add({"EXISTS", at});
  connection_.add({"INFO", "memory"});
  const bool there = flags(1)[0];
  const RedisMemory memory = this->memory();
  if (there) return Put::kThere;
  if (is_full(memory, std::ssize(first) + std::ssize(second))) return Put::kNoRoom;
  std::string value;
  value.reserve(first.size() + second.size());
  value.append(text_of(first)).append(text_of(second));
  connection_.add({"SET", at, value, "EX", expire_});
  return connection_.reply("OOM").kind == RedisReply::Kind::kError ? Put::kNoRoom : Put::kWritten;
}

void RedisTable::remove(std::span<const std::string> names) {
  connection_.begin();
  for (const std::string& name : names) connection_.add({"DEL", key(name)});
  flags(names.size());
}

std::vector<bool> RedisTable::touch(std::span<const std::string> names) {
  connection_.begin();
  for (const std::string& name : names) connection_.add({"EXPIRE", key(name), expire_});
  return flags(names.size());
}

}  // namespace skald
