// SlotRuns: the last text of each slot, which its owner may save, restore and erase.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/kept_promise.h"
#include "engine/prefix_cache.h"
#include "engine/slot_image.h"

namespace skald {

/// Errors are told by the promises: kNotFound for a slot that ran nothing of the owner's, kUnsupported without a prefix
/// cache.
class SlotRuns {
 public:
  struct Run {
    PrefixIndex::Namespace ns = {};
    ConversationId conversation = 0;
    std::vector<TokenId> tokens = {};
    int64_t n_prompt = 0, n_cached = 0;
  };

  /// `prefixes`, which may be null, must outlive it. `n_ctx`: the most tokens of a text.
  SlotRuns(int64_t n_slots, PrefixCache* prefixes, int64_t n_ctx)
      : prefixes_(prefixes), n_ctx_(n_ctx), runs_(static_cast<size_t>(n_slots)) {}

  void remember(int64_t slot, Run run) { runs_[static_cast<size_t>(slot)] = std::move(run); }
  const std::vector<Run>& all() const { return runs_; }

  /// Saves the text of a slot and its pages, over some calls of move().
  void save(int64_t slot, const std::string& owner, KeptPromise<SlotImage> promise);
  /// Restores an image into a slot, over some calls of PrefixCache::move(): kNoMemory where `has_room` says so, kBadFile for
  /// an image of another cache.
  void restore(int64_t slot, const std::string& owner, SlotImage image, KeptPromise<int64_t> promise,
               const Restores::HasRoom& has_room);
  /// Forgets the text of a slot, and its pages in memory and on disk.
  void erase(int64_t slot, const std::string& owner, KeptPromise<int64_t> promise);

  bool has_work() const { return !saves_.empty(); }
  /// Copies pages of slots that are being saved.
  void move(const Restores::Over& is_over);
  /// Ends all saves by an error.
  void give_up() noexcept;

 private:
  struct Save {
    PrefixIndex::Namespace ns;
    KvSequence kv;
    std::vector<Piece> pieces;
    SlotImage image;
    std::optional<KeptPromise<SlotImage>> promise = {};  // when it is in the list
  };
  void want_prefixes() const;
  Run& run_of(int64_t slot, const std::string& owner);
  Save save_of(int64_t slot, const std::string& owner);
  bool read_some(Save& save, const Restores::Over& is_over) const;
  void begin_restore(int64_t slot, const std::string& owner, SlotImage& image,
                     const std::shared_ptr<KeptPromise<int64_t>>& promise, const Restores::HasRoom& has_room);

  PrefixCache* prefixes_;
  int64_t n_ctx_;
  std::vector<Run> runs_;  // (slots)
  std::deque<Save> saves_;
};

}  // namespace skald
