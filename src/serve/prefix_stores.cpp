#include "serve/prefix_stores.h"

#include "kv/disk/page_store.h"
#include "stores/store_kind.h"

namespace skald::serve {
namespace {

RemoteStoreOptions remote(const ServeOptions& options) {
  return {.url = options.prefix_cache_url,
          .password = options.prefix_cache_password,
          .most_bytes = options.prefix_cache_bytes,
          .environment = process_environment};
}

}  // namespace

std::shared_ptr<PrefixStore> open_prefix_store(const ServeOptions& options) {
  const StoreLimits limits{.patience = std::chrono::milliseconds(options.prefix_cache_wait)};
  std::unique_ptr<PageStore> pages;
  if (!options.prefix_cache_url.empty())
    pages = std::make_unique<PageStore>(open_store(remote(options)), limits);
  else if (!options.prefix_cache_dir.empty())
    pages = std::make_unique<PageStore>(options.prefix_cache_dir, options.prefix_cache_bytes, limits);
  return pages ? std::make_shared<PrefixStore>(std::move(pages)) : nullptr;
}

void check_prefix_store(const ServeOptions& options) {
  if (!options.prefix_cache_url.empty()) open_table(remote(options));
}

}  // namespace skald::serve
