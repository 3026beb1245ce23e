// Reading: a function that reads a text of which more comes later. It is written as if all were there, and waits where it
// needs bytes that have not come (C++20 coroutines).
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace skald {

/// Runs readings one at a time. A reading that awaits another goes on through here, so that the stack does not grow.
class ReadingLoop {
 public:
  /// Runs until a reading waits for bytes or the outermost one has ended.
  void run() {
    waiting_ = false;
    while (current_ && !waiting_) current_.resume();
  }
  void go_to(std::coroutine_handle<> reading) { current_ = reading; }
  void wait() { waiting_ = true; }

 private:
  std::coroutine_handle<> current_;
  bool waiting_ = false;
};

/// Awaited it gives true where the text fits the function, else false. References and views that it gets must outlive it;
/// views of the text do not outlive an await.
class [[nodiscard]] Reading {
 public:
  struct promise_type {
    ReadingLoop* loop = nullptr;
    std::coroutine_handle<> caller;
    std::exception_ptr error;
    bool value = false;

    Reading get_return_object() { return Reading(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Return {
      bool await_ready() noexcept { return false; }
      void await_suspend(std::coroutine_handle<promise_type> self) noexcept {
        self.promise().loop->go_to(self.promise().caller);
      }
      void await_resume() noexcept {}
    };
    Return final_suspend() noexcept { return {}; }
    void return_value(bool read) { value = read; }
    void unhandled_exception() noexcept { error = std::current_exception(); }
  };

  Reading(Reading&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Reading& operator=(Reading&&) = delete;
  ~Reading() {
    if (handle_) handle_.destroy();
  }

  /// As the outermost reading of a loop, which then runs it.
  void start(ReadingLoop& loop) {
    handle_.promise().loop = &loop;
    loop.go_to(handle_);
  }
  /// Throws the exception that ended the outermost reading, if one did.
  void check() const {
    if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
  }

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<promise_type> caller) {
    handle_.promise().caller = caller;
    start(*caller.promise().loop);
  }
  bool await_resume() const {
    check();
    return handle_.promise().value;
  }

 private:
  explicit Reading(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace skald
