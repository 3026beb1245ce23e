#include "stores/redis/redis_reader.h"

#include <hiredis/hiredis.h>

#include <cstring>

#include "base/error.h"
#include "io/printable.h"
#include "kv/disk/record_store.h"

namespace skald {
namespace {

// hiredis calls them, which is C: no exception passes through it. It takes null for a lack of memory.
template <class F>
void* made(F&& fill) noexcept {
  try {
    auto reply = std::make_unique<RedisReply>();
    fill(*reply);
    return reply.release();
  } catch (...) {
    return nullptr;
  }
}

RedisReply::Kind kind_of(int type) {
  if (type == REDIS_REPLY_ERROR) return RedisReply::Kind::kError;
  return type == REDIS_REPLY_STATUS ? RedisReply::Kind::kStatus : RedisReply::Kind::kString;
}

// Of hiredis 1 some numbers have another type.
redisReplyObjectFunctions functions() {
  redisReplyObjectFunctions out{};
  out.createString = [](const redisReadTask* task, char* text, size_t size) {
    return made([&](RedisReply& reply) {
      reply.kind = kind_of(task->type);
      reply.bytes.resize(size);
      if (size) std::memcpy(reply.bytes.data(), text, size);
    });
  };
  out.createArray = [](const redisReadTask*, auto) -> void* { return nullptr; };
  out.createInteger = [](const redisReadTask*, long long value) {
    return made([&](RedisReply& reply) {
      reply.kind = RedisReply::Kind::kInteger;
      reply.integer = value;
    });
  };
  out.createNil = [](const redisReadTask*) { return made([](RedisReply&) {}); };
  out.freeObject = [](void* reply) { delete static_cast<RedisReply*>(reply); };
  return out;
}

redisReplyObjectFunctions& shared_functions() {
  static redisReplyObjectFunctions all = functions();
  return all;
}

// hiredis 1 gives the number of a type for which there is no function.
bool is_number(const void* reply) { return reinterpret_cast<uintptr_t>(reply) < 256; }

}  // namespace

void RedisReader::Free::operator()(redisReader* reader) const { redisReaderFree(reader); }

RedisReader::RedisReader() : reader_(redisReaderCreate()) {
  if (!reader_) fail(Errc::kNoMemory, "hiredis has no memory");
  reader_->fn = &shared_functions();
}

void RedisReader::feed(std::span<const std::byte> bytes) {
  redisReaderFeed(reader_.get(), reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::optional<RedisReply> RedisReader::next() {
  void* got = nullptr;
  if (redisReaderGetReply(reader_.get(), &got) != REDIS_OK)
    throw StoreDown(Errc::kDevice, "its reply is not one of Redis: " + printable(reader_->errstr));
  if (!got) return {};
  if (is_number(got)) throw StoreDown(Errc::kDevice, "its reply is of a kind that no command has");
  const std::unique_ptr<RedisReply> reply(static_cast<RedisReply*>(got));
  return std::move(*reply);
}

}  // namespace skald
