#include "serve/mcp/forwards.h"

#include <memory>
#include <utility>

namespace skald::serve {

bool Forwards::enter(const std::string& client) {
  const std::lock_guard lock(mutex_);
  const auto own = by_client_.find(client);
  if (running_ + (own == by_client_.end() ? 0 : own->second) >= most_) return false;
  ++by_client_[client];
  ++running_;
  return true;
}

void Forwards::leave(const std::string& client) noexcept {
  const std::lock_guard lock(mutex_);
  const auto own = by_client_.find(client);
  if (--own->second == 0) by_client_.erase(own);
  --running_;
}

bool Forwards::post(const std::string& client, std::function<void()> run) {
  if (!enter(client)) return false;
  // Leaves when the task is over, or is dropped.
  const std::shared_ptr<void> place(nullptr, [this, client](void*) { leave(client); });
  workers_.post([place, run = std::move(run)] { run(); });
  return true;
}

void Forwards::close() {
  end();
  workers_.close();
}

}  // namespace skald::serve
