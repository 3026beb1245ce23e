#include "stores/redis/redis_memory.h"

#include <charconv>

#include "io/printable.h"

namespace skald {
namespace {

// Of a line "name:value"; empty where there is none.
std::string_view value_of(std::string_view info, std::string_view name) {
  for (size_t at = 0; at < info.size();) {
    const size_t end = std::min(info.find_first_of("\r\n", at), info.size());
    const std::string_view line = info.substr(at, end - at);
    if (line.starts_with(name) && line.substr(name.size()).starts_with(':')) return line.substr(name.size() + 1);
    at = end + 1;
  }
  return {};
}

int64_t bytes_of(std::string_view text) {
  int64_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out < 0 ? 0 : out;
}

}  // namespace

RedisMemory redis_memory(std::string_view info) {
  return {.used = bytes_of(value_of(info, "used_memory")),
          .most = bytes_of(value_of(info, "maxmemory")),
          .policy = printable(value_of(info, "maxmemory_policy"))};
}

}  // namespace skald
