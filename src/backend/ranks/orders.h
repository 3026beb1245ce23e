// Orders: what the first rank tells the others to do, which do it in the same order. Those that need no answer wait for the
// next one that does.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "comm/bytes.h"
#include "comm/group.h"

namespace skald {

enum class Order : uint8_t {
  kLoad,      // the weights of a graph: its StepCapacity, and the ModelMark of the first rank; answered
  kCompile,   // a program: its number, the StepCapacity of its graph
  kDrop,      // the program of this number
  kAllocate,  // memory of a stage: that, its address on the first rank, its bytes
  kFree,      // that of this address: its stage first, as in those that follow
  kCopy,      // within memory: pieces
  kClear,     // memory: address, bytes
  kWrite,     // to memory: pieces, and their bytes
  kClearOf,   // memory of one rank: that, then as kClear
  kReadOf,    // from it: the rank, pieces, whose bytes it sends back
  kWriteOf,   // to it: the rank, pieces, whose bytes follow in a message of their own
  kStep,      // a step of a program: its number, and the pieces of the step
  kPing,      // nothing
  kReset,     // forget programs, weights and memory
  kStop,      // leave
};

/// The first rank's side. Any thread.
class Orders {
 public:
  explicit Orders(Group& group) : group_(group) {}

  Group& group() { return group_; }
  /// Adds an order with what `write(ByteWriter&)` adds to it.
  template <class Write>
  void add(Order order, Write write) {
    const std::lock_guard lock(mutex_);
    note(order, write);
    if (writer_.bytes().size() > kMostWaiting) send_locked();
  }
  /// Likewise, and sends nothing: for destructors, where a broken group must not throw.
  template <class Write>
  void note(Order order, Write write) {
    const std::lock_guard lock(mutex_);
    writer_.put(order);
    write(writer_);
  }
  void add(Order order) {
    add(order, [](ByteWriter&) {});
  }
  /// Sends all that waits.
  void send() {
    const std::lock_guard lock(mutex_);
    send_locked();
  }
  /// As long as the caller has it, no other thread sends: of orders with exchanges after them.
  std::unique_lock<std::recursive_mutex> alone() { return std::unique_lock(mutex_); }
  /// Tells the others that this rank lives, unless it is telling them something.
  void ping();

 private:
  static constexpr size_t kMostWaiting = size_t{1} << 20;
  void send_locked();

  Group& group_;
  std::recursive_mutex mutex_;
  ByteWriter writer_;
};

/// What each rank says to an order: nothing, or an error's message.
void answer(Group& group, const std::string& error);
/// Waits for all answers, however long loading takes. Throws kBadInput with the first error, naming its rank.
void want_good_answers(Group& group);

/// The orders that the first rank sent, which are waited for.
std::vector<std::byte> receive_orders(Group& group);

}  // namespace skald
