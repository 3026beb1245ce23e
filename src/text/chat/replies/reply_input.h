// ReplyInput: the text of a reply as it comes, in pieces that may end anywhere.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "text/chat/replies/reading.h"

namespace skald {

/// Positions are bytes from the beginning of the reply.
class ReplyInput {
 public:
  void add(std::string_view piece) { bytes_ += piece; }
  void end() { ended_ = true; }

  size_t at() const { return begin_ + next_; }
  /// To a position that was not forgotten.
  void go(size_t position) { next_ = position - begin_; }
  void skip(size_t bytes) { next_ += bytes; }
  /// Returns the bytes that have come and were not read; valid until the next await.
  std::string_view rest() const { return std::string_view(bytes_).substr(next_); }
  /// From an earlier position up to another.
  std::string_view text(size_t from, size_t to) const { return std::string_view(bytes_).substr(from - begin_, to - from); }
  /// Returns whether nothing is left and nothing will come.
  bool at_end() const { return ended_ && next_ == bytes_.size(); }
  /// Gives up the bytes that were read: no reader goes back to them.
  void forget();

  /// Awaited: whether there are this many unread bytes; waits until there are or the reply has ended.
  struct Need {
    ReplyInput& in;
    size_t bytes;
    bool await_ready() const { return in.rest().size() >= bytes || in.ended_; }
    void await_suspend(std::coroutine_handle<Reading::promise_type> reading) const {
      in.wanted_ = bytes;
      reading.promise().loop->wait();
    }
    bool await_resume() const { return in.rest().size() >= bytes; }
  };
  Need need(size_t bytes) { return {*this, bytes}; }
  /// Returns whether the bytes that the last await wanted are there, or never will be.
  bool may_go_on() const { return ended_ || rest().size() >= wanted_; }

 private:
  std::string bytes_;  // from position begin_ on
  size_t begin_ = 0, next_ = 0, wanted_ = 0;
  bool ended_ = false;
};

}  // namespace skald
