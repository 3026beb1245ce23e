// Group: ranks that compute one model together, each a process with its share of it.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <string>

namespace skald {

class Group {
 public:
  struct Send {
    int to;
    std::span<const std::byte> bytes;
  };
  struct Receive {
    int from;
    std::span<std::byte> bytes;
  };
  /// How soon an answer is expected: within a step it is there at once; between steps there is a sign of life now and then,
  /// and the processor is left to others; while weights are loaded it may take any time.
  enum class Pace : uint8_t { kStep, kIdle, kLoading };

  virtual ~Group() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Names a rank for people: "rank 2 on node7".
  virtual std::string name_of(int rank) const = 0;
  /// Sends and receives, all at once. Messages from one rank arrive in the order in which they were sent, and each is
  /// received with the size that it has. Throws kDevice naming a rank that does not answer in time, or where the group is
  /// given up; the group is of no use then.
  virtual void exchange(std::span<const Send> sends, std::span<const Receive> receives, Pace pace = Pace::kStep) = 0;
  /// Ends the waits of any thread, now and later, with this reason.
  virtual void give_up(const std::string& why) = 0;
  /// From now on a rank that does not answer within a moment is given up: the process was told to end, as all others may
  /// have been.
  virtual void hurry() = 0;
  /// The most seconds between two signs of life.
  virtual double patience() const = 0;

  /// Whether the caller is the one user of the group, until it lets go of it: exchanges of two would mix.
  bool claim() { return !claimed_.exchange(true); }
  void let_go() { claimed_ = false; }

 private:
  std::atomic<bool> claimed_ = false;
};

}  // namespace skald
