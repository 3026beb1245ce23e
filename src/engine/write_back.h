// WriteBack: cached prefixes on their way to the disk.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/disk_tier.h"
#include "engine/prefix_index.h"

namespace skald {

class WriteBack {
 public:
  /// `tree`, `cache` and `disk` must outlive it.
  WriteBack(PrefixIndex& tree, const KvCache& cache, DiskTier& disk) : tree_(tree), cache_(cache), disk_(disk) {}

  /// Queues the full pages of a prompt. Of too many prompts the oldest is left out.
  void push(const PrefixIndex::Namespace& ns, std::span<const TokenId> prompt);
  /// Takes back the unwritten pages of these tokens, from page number `page` on.
  void drop(const PrefixIndex::Namespace& ns, std::span<const TokenId> tokens, int64_t page);
  /// Hands pages to the disk while it takes some.
  void write(const std::function<bool()>& is_over);

  /// Returns whether the prompt is queued, and not handed on as a whole.
  bool holds(const PrefixIndex::Namespace& ns, std::span<const TokenId> prompt) const;

  /// Takes all of it back.
  void clear() noexcept { prompts_.clear(); }
  /// Returns whether write() has something to do.
  bool has_work() const { return !prompts_.empty() && disk_.can_write(); }
  /// Pages that are not handed to the disk.
  int64_t pages() const;

 private:
  struct Prompt {
    PrefixIndex::Namespace ns;
    std::vector<TokenId> tokens;
    bool has_end = false;                             // the windows that its end needs are written
    int64_t page = 0;                                 // the next one
    std::vector<std::vector<RecordPart>> parts = {};  // of the pages before it, that are there
  };
  bool write(Prompt& prompt, const std::function<bool()>& is_over);
  bool write_end(Prompt& prompt, std::span<const PrefixIndex::Page> pages, std::span<const PageKey> keys,
                 const std::function<bool()>& is_over);
  bool write_part(const Prompt& prompt, int64_t page, const PageKey& key, RecordPart part,
                  const std::function<std::optional<PageStore::Payload>()>& read);
  bool write_page(Prompt& prompt, const PrefixIndex::Page& page, const PageKey& key);
  std::optional<PageStore::Payload> read_checkpoint(const PrefixIndex::Namespace& ns, std::span<const TokenId> tokens);

  PrefixIndex& tree_;
  const KvCache& cache_;
  DiskTier& disk_;
  std::deque<Prompt> prompts_;
};

}  // namespace skald
