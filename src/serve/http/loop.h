// The event loop of the network's thread: descriptors, timers and posts. loop.cpp is the only user of Asio.
#pragma once

#include <functional>
#include <memory>

#include "serve/http.h"

namespace skald::serve {

class Loop {
 public:
  Loop();
  ~Loop();

  /// Runs on the calling thread until stop().
  void run();
  void stop();
  /// Lets go of what waits, which close() has cancelled, and drops what is posted from now on.
  void end();
  /// Runs `f` on the thread of run(), later. From any thread.
  void post(std::function<void()> f);
  void after(std::chrono::milliseconds delay, std::function<void()> f);

  struct Impl;

 private:
  friend class Watch;
  std::unique_ptr<Impl> impl_;
};

/// A descriptor and a timer. For the loop's thread only.
class Watch {
 public:
  /// Who waits is kept alive until it is called or close().
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void on_readable() = 0;
    virtual void on_writable() = 0;
    virtual void on_timer() = 0;
  };

  /// Takes the descriptor, and closes it in the end.
  Watch(Loop& loop, int fd);
  ~Watch();

  int fd() const { return fd_; }
  /// Each calls the owner once. Waiting again while a wait is pending does nothing.
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
