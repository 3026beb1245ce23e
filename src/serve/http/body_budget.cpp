#include "serve/http/body_budget.h"

#include <utility>

namespace skald::serve {

static constexpr int64_t kLittle =
    64 << 10;  // has room a while longer: a client's small requests go on beside its large ones

bool BodyBudget::has_room(const std::string& client, int64_t more) const {
  const std::lock_guard lock(mutex_);
  const auto found = of_clients_.find(client);
  const int64_t own = found == of_clients_.end() ? 0 : found->second;
  const int64_t free = most_ - all_;
  return own + more <= (more <= kLittle ? 2 * free : free);
}

int64_t BodyBudget::held() const {
  const std::lock_guard lock(mutex_);
  return all_;
}

bool BodyBudget::is_over() const {
  const std::lock_guard lock(mutex_);
  return all_ > most_;
}

bool BodyBudget::is_over(const std::string& client) const {
  const std::lock_guard lock(mutex_);
  const auto found = of_clients_.find(client);
  return found != of_clients_.end() && found->second > most_ - all_;
}

void BodyBudget::add(const std::string& client, int64_t bytes) {
  if (bytes == 0) return;
  const std::lock_guard lock(mutex_);
  const auto own = of_clients_.try_emplace(client, 0).first;  // which is there where bytes are given back
  all_ += bytes;
  own->second += bytes;
  if (own->second == 0) of_clients_.erase(own);
}

HeldBytes::HeldBytes(HeldBytes&& other) noexcept
    : budget_(std::move(other.budget_)), client_(std::move(other.client_)), bytes_(std::exchange(other.bytes_, 0)) {}

HeldBytes& HeldBytes::operator=(HeldBytes&& other) noexcept {
  if (this == &other) return *this;
  set(0);
  budget_ = std::move(other.budget_);
  client_ = std::move(other.client_);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

bool HeldBytes::try_set(int64_t bytes) {
  if (budget_ && bytes > bytes_ && !budget_->has_room(client_, bytes - bytes_)) return false;
  set(bytes);
  return true;
}

void HeldBytes::set(int64_t bytes) {
  if (budget_) budget_->add(client_, bytes - bytes_);
  bytes_ = bytes;
}

void HeldBytes::give_to(const std::string& client) {
  if (client == client_) return;
  const int64_t bytes = std::exchange(bytes_, 0);
  if (budget_) budget_->add(client_, -bytes);
  client_ = client;
  set(bytes);
}

HeldBytes HeldBytes::split(int64_t bytes) {
  HeldBytes out(budget_, client_);
  out.bytes_ = bytes;
  bytes_ -= bytes;
  return out;
}

}  // namespace skald::serve
