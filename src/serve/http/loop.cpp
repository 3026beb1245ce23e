#include "serve/http/loop.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace skald::serve {

namespace asio = boost::asio;
using boost::system::error_code;

struct Loop::Impl {
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(io);
  bool ended = false;
};

Loop::Loop() : impl_(std::make_unique<Impl>()) {}
Loop::~Loop() = default;

void Loop::run() { impl_->io.run(); }
void Loop::stop() { impl_->io.stop(); }

void Loop::end() {
  impl_->ended = true;
  impl_->io.restart();
  impl_->io.poll();
}

void Loop::post(std::function<void()> f) {
  asio::post(impl_->io, [this, f = std::move(f)] {
    if (!impl_->ended) f();
  });
}

void Loop::after(std::chrono::milliseconds delay, std::function<void()> f) {
  const auto timer = std::make_shared<asio::steady_timer>(impl_->io, delay);
  timer->async_wait([this, timer, f = std::move(f)](error_code failed) {
    if (!failed && !impl_->ended) f();
  });
}

struct Watch::State {
  State(Loop::Impl& loop, int fd) : descriptor(loop.io, fd), timer(loop.io) {}
  asio::posix::stream_descriptor descriptor;
  asio::steady_timer timer;
  bool reading = false, writing = false, timing = false, closed = false;
  HttpClock::time_point wakes = {};
};

Watch::Watch(Loop& loop, int fd) : state_(std::make_shared<State>(*loop.impl_, fd)), fd_(fd) {}
Watch::~Watch() { close(); }

void Watch::wait_readable(std::shared_ptr<Owner> owner) {
  if (state_->reading || state_->closed) return;
  state_->reading = true;
  state_->descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                                [state = state_, owner = std::move(owner)](error_code) {
                                  state->reading = false;
                                  if (!state->closed) owner->on_readable();
                                });
}

void Watch::wait_writable(std::shared_ptr<Owner> owner) {
  if (state_->writing || state_->closed) return;
  state_->writing = true;
  state_->descriptor.async_wait(asio::posix::stream_descriptor::wait_write,
                                [state = state_, owner = std::move(owner)](error_code) {
                                  state->writing = false;
                                  if (!state->closed) owner->on_writable();
                                });
}

bool Watch::waits_writable() const { return state_->writing; }

void Watch::wake_by(HttpClock::time_point at, std::shared_ptr<Owner> owner) {
  if (state_->closed || (state_->timing && state_->wakes <= at)) return;
  state_->timing = true;
  state_->wakes = at;
  state_->timer.expires_at(at);  // cancels what was pending
  state_->timer.async_wait([state = state_, owner = std::move(owner)](error_code failed) {
    if (failed || state->closed) return;
    state->timing = false;
    owner->on_timer();
  });
}

void Watch::close() {
  if (state_->closed) return;
  state_->closed = true;
  error_code ignored;
  state_->descriptor.close(ignored);
  state_->timer.cancel();
}

}  // namespace skald::serve
