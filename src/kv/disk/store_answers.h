// StoreAnswers: answers of a store that others wait for, none of them too long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace skald {

/// Gives each answer once: by the store, or by a thread of its own when the store has said nothing for too long. A store
/// may hang within a call of the system, which nothing ends.
class StoreAnswers {
 public:
  using Clock = std::chrono::steady_clock;
  using Payload = std::optional<std::vector<std::byte>>;
  using Answer = std::function<void(Payload payload)>;
  using Ticket = int64_t;

  /// `on_silence`: called when an answer is due and the store has given none, nor hear(), for `patience`. All that are due
  /// are answered with none then.
  StoreAnswers(std::chrono::nanoseconds patience, std::function<void()> on_silence);
  ~StoreAnswers();
  StoreAnswers(const StoreAnswers&) = delete;
  StoreAnswers& operator=(const StoreAnswers&) = delete;

  Ticket expect(Answer answer);
  /// Answers with none at once, on its own thread.
  void refuse(Answer answer);
  /// Forgets a question that was not asked.
  void take_back(Ticket ticket) noexcept;
  /// Harmless where it has been answered.
  void give(Ticket ticket, Payload payload) noexcept;
  void give_none() noexcept;
  /// The store goes on, though it has no answer yet.
  void hear() noexcept;

 private:
  void watch() noexcept;
  Answer take(Ticket ticket) noexcept;

  const std::chrono::nanoseconds patience_;
  const std::function<void()> on_silence_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Ticket, Answer> due_;
  std::vector<Answer> refused_;
  Ticket next_ = 0;
  Clock::time_point heard_ = {};
  bool closed_ = false;
  std::thread thread_;
};

}  // namespace skald
