#include "engine/prefix_cache.h"

namespace skald {

PrefixCache::PrefixCache(KvCache& cache, DiskTier* disk)
    : cache_(cache), disk_(disk), tree_(cache), restores_(tree_, cache, disk) {
  if (disk) write_back_.emplace(tree_, cache, *disk);
}

void PrefixCache::erase(const Space& space, std::span<const TokenId> tokens) {
  tree_.erase(space, tokens);
  if (!disk_) return;
  const int64_t left = tree_.find(space, tokens) / kPageKeys;
  if (left < std::ssize(tokens) / kPageKeys) write_back_->drop(space, tokens, left);
  disk_->erase(space.scope, tokens, left);
}

bool PrefixCache::fetch(RequestId id, const Space& space, std::span<const TokenId> prompt,
                        const Restores::HasRoom& has_room) {
  return restores_.fetch(id, space, prompt, has_room);
}

void PrefixCache::write_back(const Space& space, std::span<const TokenId> prompt) {
  if (write_back_) write_back_->push(space, prompt);
}

void PrefixCache::move(const Over& is_over) {
  restores_.move(is_over);
  write(is_over);
}

void PrefixCache::give_up_moves() noexcept {
  restores_.clear();
  if (write_back_) write_back_->clear();
}

void PrefixCache::write(const Over& is_over) {
  if (write_back_) write_back_->write(is_over);
}

}  // namespace skald
