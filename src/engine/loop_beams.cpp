// Beam searches: their steps, and the slots of their texts.
#include <algorithm>
#include <exception>
#include <utility>

#include "base/guarded.h"
#include "engine/loop.h"

namespace skald {
namespace {

bool wants_slot(const Branch& text) { return !text.waits() && !text.has_slot(); }

// Texts without a slot get those of texts that went, and of texts that wait for them.
void share_slots(Job& job, std::vector<int64_t>& freed) {
  for (Branch& text : job.branches()) {
    if (job.held || text.done || !wants_slot(text)) continue;
    const auto giver = std::ranges::find_if(job.branches(), [](const Branch& b) { return b.waits() && b.has_slot(); });
    if (!freed.empty()) {
      text.slot = freed.back();
      freed.pop_back();
    } else if (giver != job.branches().end()) {
      text.slot = std::exchange(giver->slot, Branch::kNoSlot);
    } else {
      return;
    }
  }
}

}  // namespace

// After a step: texts of one search wait for each other.
void EngineLoop::extend_searches() {
  for (Job& job : jobs_) {
    if (!job.searches()) continue;
    std::vector<int64_t> freed;
    try {
      counts_.generated_tokens += job.extend(o_.now(), freed);
    } catch (const std::exception& e) {
      job.fail(e, o_.now());
    }
    share_slots(job, freed);
    for (const int64_t slot : freed) {
      guarded("the last text of a slot", [&] { remember(slot, job, job.first()); });
      taken_slots_[static_cast<size_t>(slot)] = false;
    }
  }
}

}  // namespace skald
