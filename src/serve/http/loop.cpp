#include "serve/http/loop.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <mutex>
#include <utility>

#include "serve/http/handler_memory.h"

namespace skald::serve {

namespace asio = boost::asio;
using boost::system::error_code;

struct HttpLoop::Impl {
  HandlerMemory memory;  // of the one operation that runs errands
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(io);
  std::mutex mutex;
  Errands errands;
  bool awake = false;  // under the mutex: errands will be run
  bool ended = false;

  void wake() noexcept {
    asio::post(io, HandlerIn{&memory, [this] { run_errands(); }});
  }

  // Those that are there: others have their turn then.
  void run_errands() {
    size_t n = 0;
    {
      const std::lock_guard lock(mutex);
      n = errands.size();
    }
    try {
      for (; n > 0; --n) {
        const std::function<void()> next = take();
        if (!ended) next();
      }
    } catch (...) {
      rest();
      throw;
    }
    rest();
  }

  std::function<void()> take() {
    const std::lock_guard lock(mutex);
    return errands.take();
  }

  void rest() {
    {
      const std::lock_guard lock(mutex);
      awake = !errands.empty();
      if (!awake) return;
    }
    wake();
  }
};

HttpLoop::HttpLoop() : impl_(std::make_unique<Impl>()) {}
HttpLoop::~HttpLoop() = default;

void HttpLoop::run() { impl_->io.run(); }
void HttpLoop::stop() { impl_->io.stop(); }

void HttpLoop::end() {
  impl_->ended = true;
  impl_->io.restart();
  impl_->io.poll();
}

void HttpLoop::post(Errand errand) noexcept {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->errands.add(std::move(errand));
    if (std::exchange(impl_->awake, true)) return;
  }
  impl_->wake();
}

void HttpLoop::after(std::chrono::milliseconds delay, std::function<void()> f) {
  const auto timer = std::make_shared<asio::steady_timer>(impl_->io, delay);
  timer->async_wait([this, timer, f = std::move(f)](error_code failed) {
    if (!failed && !impl_->ended) f();
  });
}

struct Watch::State {
  using Executor = asio::io_context::executor_type;
  using Timer = asio::basic_waitable_timer<HttpClock, asio::wait_traits<HttpClock>, Executor>;

  State(HttpLoop::Impl& loop, int fd) : descriptor(loop.io, fd), timer(loop.io) {}
  HandlerMemory read_memory, write_memory, timer_memory;
  asio::posix::basic_stream_descriptor<Executor> descriptor;
  Timer timer;
  bool reading = false, writing = false, timing = false, closed = false;
  HttpClock::time_point wakes = {};

  void tell(Owner& owner, void (Owner::*what)()) const {
    if (closed) return;
    try {
      (owner.*what)();
    } catch (...) {
      owner.on_failure();
    }
  }
};

Watch::Watch(HttpLoop& loop, Descriptor fd) : state_(std::make_shared<State>(*loop.impl_, fd.get())), fd_(fd.release()) {}
Watch::~Watch() {
  if (state_) close();
}

void Watch::wait_readable(std::shared_ptr<Owner> owner) {
  if (state_->reading || state_->closed) return;
  const auto readable = [state = state_, owner = std::move(owner)](error_code) {
    state->reading = false;
    state->tell(*owner, &Owner::on_readable);
  };
  state_->descriptor.async_wait(asio::posix::descriptor_base::wait_read, HandlerIn{&state_->read_memory, readable});
  state_->reading = true;
}

void Watch::wait_writable(std::shared_ptr<Owner> owner) {
  if (state_->writing || state_->closed) return;
  const auto writable = [state = state_, owner = std::move(owner)](error_code) {
    state->writing = false;
    state->tell(*owner, &Owner::on_writable);
  };
  state_->descriptor.async_wait(asio::posix::descriptor_base::wait_write, HandlerIn{&state_->write_memory, writable});
  state_->writing = true;
}

bool Watch::waits_writable() const { return state_->writing; }

void Watch::wake_by(HttpClock::time_point at, std::shared_ptr<Owner> owner) {
  if (state_->closed || (state_->timing && state_->wakes <= at)) return;
  state_->timing = false;
  state_->timer.expires_at(at);  // cancels pending operations
  const auto timed = [state = state_, owner = std::move(owner)](error_code failed) {
    if (failed) return;
    state->timing = false;
    state->tell(*owner, &Owner::on_timer);
  };
  state_->timer.async_wait(HandlerIn{&state_->timer_memory, timed});
  state_->timing = true;
  state_->wakes = at;
}

void Watch::close() {
  if (state_->closed) return;
  state_->closed = true;
  error_code ignored;
  state_->descriptor.close(ignored);
  state_->timer.cancel();
}

}  // namespace skald::serve
