#include <array>

#include "stores/redis/redis_table.h"
#include "stores/store_kind.h"

namespace skald {
namespace {

constexpr std::array<std::string_view, 3> kSchemes = {"redis", "rediss", "unix"};

std::unique_ptr<RemoteTable> open(StoreUrl url, const RemoteStoreOptions& options) {
  return std::make_unique<RedisTable>(redis_address(std::move(url), options.password), options.most_bytes, options.times);
}

}  // namespace

extern const StoreKind store_kind_redis;
const StoreKind store_kind_redis{.name = "redis",
                                 .schemes = kSchemes,
                                 .form = "redis://[USER@]HOST[:PORT][/DATABASE], rediss:// with TLS, unix:///SOCKET",
                                 .open = open};

}  // namespace skald
