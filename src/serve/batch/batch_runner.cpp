#include "serve/batch/batch_runner.h"

#include <memory>
#include <utility>

#include "serve/api_error.h"
#include "serve/local/whole_exchange.h"
#include "serve/run/answer.h"

namespace skald::serve {
namespace {

// The input that is read before it runs: enough to sort, and bounded.
constexpr int64_t kMostWaiting = 4096, kMostBytes = int64_t{64} << 20;
constexpr std::chrono::milliseconds kAskEvery{100};

HttpRequest http_request(const BatchRequest& request) {
  return {.method = "POST",
          .path = request.url,
          .body = request.body,
          .id = random_id(),
          .peer = "batch",
          .arrived = HttpClock::now()};
}

}  // namespace

BatchRunner::BatchRunner(ServeOptions options, BatchFile& answers, BatchFile& failures, const std::function<bool()>& go_on)
    : answers_(answers), failures_(failures), local_(std::move(options), [this](std::exception_ptr error) {
        const std::lock_guard lock(mutex_);
        failure_ = std::move(error);
        loaded_ = true;
        changed_.notify_all();
      }) {
  wait(go_on, [this] { return loaded_; });
}

// Calls that end now come to nothing.
BatchRunner::~BatchRunner() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
}

template <class Ready>
bool BatchRunner::wait(const std::function<bool()>& go_on, Ready ready) {
  std::unique_lock lock(mutex_);
  while (!failure_ && !ready()) {
    changed_.wait_for(lock, kAskEvery);
    lock.unlock();
    const bool wanted = go_on();
    lock.lock();
    if (!wanted) return false;
  }
  if (failure_) std::rethrow_exception(failure_);
  return true;
}

bool BatchRunner::add(BatchRequest request, const std::function<bool()>& go_on) {
  const auto has_room = [this] { return waiting_.size() < kMostWaiting && waiting_.bytes() < kMostBytes; };
  {
    const std::lock_guard lock(mutex_);
    if (!has_room()) begun_ = true;
  }
  run_more();
  if (!wait(go_on, has_room)) return false;
  {
    const std::lock_guard lock(mutex_);
    waiting_.add(std::move(request));
  }
  run_more();
  return true;
}

void BatchRunner::add(BatchAnswer answer) {
  post([this, answer = std::move(answer)] { write(answer); });
}

void BatchRunner::begin() {
  {
    const std::lock_guard lock(mutex_);
    begun_ = true;
  }
  run_more();
}

bool BatchRunner::finish(const std::function<bool()>& go_on) {
  begin();
  if (!wait(go_on, [this] { return waiting_.empty() && running_ == 0; })) return false;
  bool written = false;
  post([&] {
    const std::lock_guard lock(mutex_);
    written = true;
    changed_.notify_all();
  });
  return wait([] { return true; }, [&] { return written; });
}

int64_t BatchRunner::answered() const {
  const std::lock_guard lock(mutex_);
  return answered_;
}

int64_t BatchRunner::failed() const {
  const std::lock_guard lock(mutex_);
  return failed_;
}

// While some write, the next ones become tokens.
int64_t BatchRunner::most_running() const { return 2 * int64_t{local_.service().options().engine.schedule.n_parallel}; }

void BatchRunner::run_more() {
  for (;;) {
    BatchRequest next;
    {
      const std::lock_guard lock(mutex_);
      if (!begun_ || stopped_ || failure_ || waiting_.empty() || running_ >= most_running()) return;
      next = waiting_.take();
      ++running_;
    }
    changed_.notify_all();
    post([this, next = std::move(next)] { run(next); });
  }
}

// A failure on the thread of the calls ends the batch: an answer would be missing.
void BatchRunner::post(std::function<void()> f) {
  local_.post([this, f = std::move(f)] {
    try {
      f();
    } catch (...) {
      fail();
    }
  });
}

// With the exception that is being handled.
void BatchRunner::fail() noexcept {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::current_exception();
  changed_.notify_all();
}

void BatchRunner::run(const BatchRequest& request) {
  HttpRequest http = http_request(request);
  BatchAnswer as{.line = request.line, .custom_id = request.custom_id, .sum = request.sum, .request_id = http.id};
  const auto answered = [this, as](HttpAnswer answer) mutable {
    try {
      as.status = answer.status;
      as.body = answer.body.empty() ? "null" : std::move(answer.body);
      post([this, as = std::move(as)] { over(as); });
    } catch (...) {
      fail();
    }
  };
  if (request.streams) {
    const ApiError error(400, "stream: want false: the answers of a batch are no streams", "stream");
    WholeExchange(http, answered).send(error_answer(error, Dialect::kOpenAi, http.id));
    return;
  }
  local_.call(std::make_shared<WholeExchange>(std::move(http), answered));
}

void BatchRunner::over(const BatchAnswer& answer) {
  write(answer);
  {
    const std::lock_guard lock(mutex_);
    --running_;
  }
  changed_.notify_all();
  run_more();
}

void BatchRunner::write(const BatchAnswer& answer) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_ || failure_) return;
  }
  std::exception_ptr failure;
  try {
    (answer.failed() ? failures_ : answers_).write(answer);
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  if (failure) failure_ = failure;
  ++answered_;
  failed_ += answer.failed();
  if (failure) changed_.notify_all();
}

}  // namespace skald::serve
