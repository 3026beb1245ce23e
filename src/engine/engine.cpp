#include "skald/engine.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/engine_thread.h"

namespace skald {
namespace {

int64_t sum(std::span<const MemoryUse::KvGroup> groups, int64_t MemoryUse::KvGroup::*bytes) {
  int64_t all = 0;
  for (const MemoryUse::KvGroup& g : groups) all += g.*bytes;
  return all;
}

}  // namespace

int64_t MemoryUse::keys() const { return sum(kv, &KvGroup::keys); }
int64_t MemoryUse::values() const { return sum(kv, &KvGroup::values); }
int64_t MemoryUse::index() const { return sum(kv, &KvGroup::index); }

void DraftUse::add(int64_t n, int64_t n_right) {
  guessed += n;
  right += n_right;
  if (std::ssize(places) < n) places.resize(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    ++places[static_cast<size_t>(i)].guessed;
    places[static_cast<size_t>(i)].right += i < n_right;
  }
}

DraftUse& DraftUse::operator+=(const DraftUse& more) {
  guessed += more.guessed;
  right += more.right;
  places.resize(std::max(places.size(), more.places.size()));
  for (size_t i = 0; i < more.places.size(); ++i) {
    places[i].guessed += more.places[i].guessed;
    places[i].right += more.places[i].right;
  }
  return *this;
}

int64_t Request::n_kept() const {
  const auto n = static_cast<int64_t>(prompt.size());
  return keep < 0 ? n : std::min<int64_t>(keep, n);
}

class Engine::Impl : public EngineThread {
 public:
  using EngineThread::EngineThread;
};

Engine::Engine(const Model& model, const EngineOptions& options) {
  options.check();
  impl_ = std::make_unique<Impl>(model, options);
}
Engine::~Engine() = default;
Submission Engine::submit(Request request) { return impl_->submit(std::move(request)); }
void Engine::cancel(RequestId id) { impl_->cancel(id); }
void Engine::pause(RequestId id) { impl_->hold(id, true); }
void Engine::resume(RequestId id) { impl_->hold(id, false); }

Result Engine::wait(Submission submission, const std::function<bool()>& stop) {
  constexpr std::chrono::milliseconds kAskEvery{20};
  for (bool cancelled = !stop; !cancelled && submission.result.wait_for(kAskEvery) != std::future_status::ready;) {
    cancelled = stop();
    if (cancelled) cancel(submission.id);
  }
  return submission.result.get();
}

SlotFile Engine::save_slot(int64_t slot, const std::string& owner, const std::string& folder, const std::string& name) {
  return impl_->save_slot(slot, owner, folder, name);
}
SlotFile Engine::restore_slot(int64_t slot, const std::string& owner, const std::string& folder, const std::string& name) {
  return impl_->restore_slot(slot, owner, folder, name);
}
int64_t Engine::erase_slot(int64_t slot, const std::string& owner) { return impl_->erase_slot(slot, owner); }
void Engine::forget(ConversationId conversation) { impl_->forget(conversation); }
int64_t Engine::n_ctx() const { return impl_->n_ctx(); }
MemoryUse Engine::memory() const { return impl_->memory(); }
EngineStatus Engine::status() const { return impl_->status(); }
SparqUse Engine::sparq_use() const { return impl_->sparq_use(); }
std::vector<SparqLayers> Engine::sparq_layers() const { return impl_->sparq_layers(); }
int64_t Engine::kv_bytes() const {
  const MemoryUse use = memory();
  return use.keys() + use.values();
}
int64_t Engine::work_bytes() const { return memory().work; }

}  // namespace skald
