#include "kv/disk/store_answers.h"

#include <utility>

#include "base/guarded.h"

namespace skald {

static constexpr std::string_view kWho = "an answer of the prefix cache's store";

StoreAnswers::StoreAnswers(std::chrono::nanoseconds patience, std::function<void()> on_silence)
    : patience_(patience), on_silence_(std::move(on_silence)), thread_([this] { watch(); }) {}

StoreAnswers::~StoreAnswers() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

StoreAnswers::Ticket StoreAnswers::expect(Answer answer) {
  const std::lock_guard lock(mutex_);
  const bool first = due_.empty();
  const Ticket ticket = next_;
  due_.emplace(ticket, std::move(answer));
  ++next_;
  if (first) heard_ = Clock::now();
  if (first) changed_.notify_one();
  return ticket;
}

void StoreAnswers::refuse(Answer answer) {
  const std::lock_guard lock(mutex_);
  refused_.push_back(std::move(answer));
  changed_.notify_one();
}

void StoreAnswers::take_back(Ticket ticket) noexcept { take(ticket); }

StoreAnswers::Answer StoreAnswers::take(Ticket ticket) noexcept {
  const std::lock_guard lock(mutex_);
  heard_ = Clock::now();
  const auto due = due_.extract(ticket);
  return due ? std::move(due.mapped()) : Answer{};
}

void StoreAnswers::give(Ticket ticket, Payload payload) noexcept {
  if (const Answer answer = take(ticket)) guarded(kWho, [&] { answer(std::move(payload)); });
}

void StoreAnswers::give_none() noexcept {
  std::map<Ticket, Answer> all;
  {
    const std::lock_guard lock(mutex_);
    all.swap(due_);
  }
  for (const auto& [ticket, answer] : all) guarded(kWho, [&] { answer({}); });
}

void StoreAnswers::hear() noexcept {
  const std::lock_guard lock(mutex_);
  heard_ = Clock::now();
}

void StoreAnswers::watch() noexcept {
  std::unique_lock lock(mutex_);
  while (!closed_ || !refused_.empty()) {
    if (!refused_.empty()) {
      const std::vector<Answer> refused = std::exchange(refused_, {});
      lock.unlock();
      for (const Answer& answer : refused) guarded(kWho, [&] { answer({}); });
      lock.lock();
    } else if (due_.empty()) {
      changed_.wait(lock);
    } else if (Clock::now() < heard_ + patience_) {
      changed_.wait_until(lock, heard_ + patience_);
    } else {
      lock.unlock();
      guarded(kWho, on_silence_);
      give_none();
      lock.lock();
    }
  }
}

}  // namespace skald
