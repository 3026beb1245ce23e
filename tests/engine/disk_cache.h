// Cached prefixes with a folder, without an engine.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "engine/prefix_cache.h"
#include "tests/engine/some_tokens.h"

namespace skald::test {

class DiskCache {
 public:
  using Namespace = PrefixCache::Namespace;
  static constexpr int64_t kDiskBytes = int64_t{64} << 20;

  static bool any_room(const KvRoom&) { return true; }
  static bool never() { return false; }

  static constexpr AttentionState kAll{.n_kv_heads = 1, .d_k = 2, .d_v = 2};

  explicit DiskCache(PageStore& store, int64_t total_keys = 0, std::vector<StateSpec> states = {kAll})
      : pool(make_kv_spec(std::move(states), {}, 4000), {.max_keys = 4000, .n_sequences = 4, .total_keys = total_keys}),
        disk(store, pool, Sha256Sum{}, [] {}),
        prefixes(pool, &disk) {}

  /// Keeps it as a prompt that is computed: its keys lie in its pages.
  void compute(const Tokens& prompt, const Namespace& ns = {}) {
    KvSequence kv(pool);
    ASSERT_TRUE(kv.reserve(std::ssize(prompt)));
    kv.set_length(std::ssize(prompt));
    prefixes.keep(ns, prompt, kv);
  }
  void write(const Tokens& prompt, const Namespace& ns = {}) {
    prefixes.write_back(ns, prompt);
    while (prefixes.unwritten()) move();
  }
  /// Keeps it as a prompt that was read, and is on disk.
  void leave(const Tokens& prompt, const Namespace& ns = {}) {
    compute(prompt, ns);
    write(prompt, ns);
  }
  /// Waits until the request waits no more; gives the tokens that came.
  int64_t fetch(RequestId id, const Tokens& prompt, const Namespace& ns = {}) {
    while (prefixes.fetch(id, ns, prompt, any_room))
      while (prefixes.waits(id)) move();
    return prefixes.forget(id);
  }
  void move() {
    prefixes.move(never);
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }

  KvCache pool;
  DiskTier disk;
  PrefixCache prefixes;
};

}  // namespace skald::test
