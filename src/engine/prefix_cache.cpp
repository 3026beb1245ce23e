#include "engine/prefix_cache.h"

#include <utility>

namespace skald {

PrefixCache::PrefixCache(KvCache& cache, DiskTier* disk, PrefixReports reports)
    : cache_(cache), disk_(disk), tree_(cache, std::move(reports)), restores_(tree_, cache, disk) {
  if (!disk) return;
  write_back_.emplace(tree_, cache, *disk);
  storing_.emplace(*write_back_, *disk);
}

void PrefixCache::erase(const Namespace& ns, std::span<const TokenId> tokens) {
  tree_.erase(ns, tokens);
  if (!disk_) return;
  const int64_t left = tree_.find(ns, tokens) / kPageKeys;
  if (left < std::ssize(tokens) / kPageKeys) write_back_->drop(ns, tokens, left);
  disk_->erase(ns.scope, tokens, left);
}

void PrefixCache::write_back(const Namespace& ns, std::span<const TokenId> prompt) {
  if (write_back_) write_back_->push(ns, prompt);
}

void PrefixCache::store(RequestId id, const Namespace& ns, std::span<const TokenId> prompt) {
  storing_->add(id, ns, prompt);
  write_back_->push(ns, prompt);
}

void PrefixCache::move(const Over& is_over) {
  restores_.move(is_over);
  write(is_over);
}

void PrefixCache::give_up_moves() noexcept {
  restores_.clear();
  if (write_back_) write_back_->clear();
  if (storing_) storing_->clear();
}

void PrefixCache::write(const Over& is_over) {
  if (write_back_) write_back_->write(is_over);
}

}  // namespace skald
