// The event loop of the network's thread: descriptors, timers and posts. loop.cpp is the only user of Asio.
#pragma once

#include <functional>
#include <memory>

#include "base/descriptor.h"
#include "serve/http.h"
#include "serve/workers/errand.h"

namespace skald::serve {

class HttpLoop {
 public:
  HttpLoop();
  ~HttpLoop();

  /// Runs on the calling thread until stop(). Throws the exception of a call that it made; it may be called again then.
  void run();
  void stop();
  /// Lets go of waiting operations, which close() has cancelled, and drops later posts.
  void end();
  /// Runs it on the thread of run(), later. From any thread.
  void post(Errand errand) noexcept;
  /// Calls `f` there after the delay. For the loop's thread only.
  void after(std::chrono::milliseconds delay, std::function<void()> f);

  struct Impl;

 private:
  friend class Watch;
  std::unique_ptr<Impl> impl_;
};

/// A descriptor and a timer. For the loop's thread only.
class Watch {
 public:
  /// A waiting object is kept alive until it is called or close().
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void on_readable() = 0;
    virtual void on_writable() = 0;
    virtual void on_timer() = 0;
    /// One of these threw, and the exception is being handled. Its own exceptions leave HttpLoop::run().
    virtual void on_failure() { throw; }
  };

  /// Closes the descriptor in the end.
  Watch(HttpLoop& loop, Descriptor fd);
  Watch(Watch&&) = default;
  ~Watch();

  int fd() const { return fd_; }
  /// Each calls the owner once. Waiting again while a wait is pending does nothing. They take no memory.
  void wait_readable(std::shared_ptr<Owner> owner);
  void wait_writable(std::shared_ptr<Owner> owner);
  bool waits_writable() const;
  /// Calls on_timer() at `at` or earlier: a call that is pending for an earlier time stays.
  void wake_by(HttpClock::time_point at, std::shared_ptr<Owner> owner);
  /// No call comes after it.
  void close();

 private:
  struct State;
  std::shared_ptr<State> state_;
  int fd_;
};

}  // namespace skald::serve
