// Restores: pages of prompts on their way from the disk or from the file of a slot into the cache, and the requests that
// wait for them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <unordered_map>

#include "engine/disk_tier.h"
#include "engine/prefix_index.h"
#include "engine/restore.h"

namespace skald {

class Restores {
 public:
  using Over = std::function<bool()>;  // whether the time for it is over
  using Clock = PageStore::Clock;
  using HasRoom = std::function<bool(const KvRoom& need)>;

  /// `tree`, `cache` and `disk`, which may be null, must outlive it.
  Restores(PrefixIndex& tree, const KvCache& cache, DiskTier* disk) : tree_(tree), cache_(cache), disk_(disk) {}

  /// Has the pages of the prompt looked for and read that are on disk and not in memory. False where the request need not
  /// wait: there are none, they have no room, or it has asked often enough. It may ask again when waits() says that it does
  /// not wait. `anew`: as in DiskTier::look().
  bool fetch(RequestId id, const PrefixIndex::Namespace& ns, std::span<const TokenId> prompt, const HasRoom& has_room,
             bool anew = false);
  bool waits(RequestId id) const;
  /// Ends the reads of a request, which begins or is over. Gives the number of tokens whose pages came for it.
  int64_t forget(RequestId id) noexcept;
  /// Takes a restore whose payloads are there.
  void add(Restore restore) { all_.push_back(std::move(restore)); }
  /// Ends the restore that began last, of those that requests wait for. False where there is none.
  bool give_up_one();
  /// Ends all.
  void clear() noexcept;

  /// Returns whether move() has something to do.
  bool has_work() const;
  /// Copies the payloads that came into pages; at least one for each restore that has some.
  void move(const Over& is_over);

 private:
  using At = std::list<Restore>::iterator;
  struct Wait {
    bool waits = false;
    DiskTier::Done looked = {};  // whether the store knows; null: it was not asked, or need not be
    Clock::time_point looks_again = {};
    int lookups = 0;
    int64_t came = 0;  // tokens
  };
  bool looks(Wait& wait, const PrefixIndex::Namespace& ns, std::span<const TokenId> prompt, int64_t from, bool anew);
  bool comes_already(const PrefixIndex::Namespace& ns, std::span<const TokenId> prompt, int64_t from) const;
  void move(At at, const Over& is_over);
  void end(At at, Restore::State state) noexcept;

  PrefixIndex& tree_;
  const KvCache& cache_;
  DiskTier* disk_;
  std::list<Restore> all_;
  std::unordered_map<RequestId, Wait> waits_;
};

}  // namespace skald
