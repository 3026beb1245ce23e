// RedisMemory: how full a Redis server is, and who sees to it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skald {

struct RedisMemory {
  int64_t used = 0, most = 0;  // bytes; 0: unknown, and no limit
  std::string policy = {};     // for when there is no room

  /// Returns whether the server itself removes what was not used lately.
  bool evicts() const { return most > 0 && !policy.empty() && policy != "noeviction"; }
};

/// Reads the reply to INFO memory, which may hold anything.
RedisMemory redis_memory(std::string_view info);

}  // namespace skald
