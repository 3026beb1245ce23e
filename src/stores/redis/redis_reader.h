// RedisReader: replies out of bytes that come in any pieces, by hiredis.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "stores/redis/redis_connection.h"

struct redisReader;

namespace skald {

class RedisReader {
 public:
  /// Throws kNoMemory.
  RedisReader();
  void feed(std::span<const std::byte> bytes);
  /// None where more bytes have to come. Throws StoreDown for bytes that are no reply, or of a kind that no command here
  /// has: a list.
  std::optional<RedisReply> next();

 private:
  struct Free {
    void operator()(redisReader* reader) const;
  };
  std::unique_ptr<redisReader, Free> reader_;
};

}  // namespace skald
