#include "serve/local/local_call.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/guarded.h"
#include "base/wakeup.h"

namespace skald::serve {

/// The bytes between the exchange, which writes them on any thread, and the call, which takes them.
class LocalAnswer {
 public:
  explicit LocalAnswer(LocalService& service) : service_(service) {}

  void begin(HttpAnswer head) {
    change([&] {
      bytes_ += std::exchange(head.body, {});
      head_ = std::move(head);
    });
  }
  void write(const std::string& piece) {
    change([&] {
      if (!gone_) bytes_ += piece;
    });
  }
  void end() {
    std::function<void()> sent, gone;  // which may hold the exchange: they go without the lock
    change([&] {
      if (!head_) head_ = HttpAnswer{.status = 500};
      over_ = true;
      sent = std::exchange(when_sent_, {});
      gone = std::exchange(when_gone_, {});
    });
  }
  size_t unsent() const {
    const std::lock_guard lock(mutex_);
    return bytes_.size();
  }
  void when_sent(std::function<void()> f) {
    const std::lock_guard lock(mutex_);
    if (over_) return;
    when_sent_ = std::move(f);
    if (bytes_.empty()) post(when_sent_);
  }
  void when_gone(std::function<void()> f) {
    const std::lock_guard lock(mutex_);
    if (over_) return;
    when_gone_ = std::move(f);
    if (gone_) post(std::exchange(when_gone_, {}));
  }
  bool gone() const {
    const std::lock_guard lock(mutex_);
    return gone_;
  }

  bool wait(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [&] { return ready(); });
  }
  bool is_ready() const {
    const std::lock_guard lock(mutex_);
    return ready();
  }
  int descriptor() const { return wakeup_.descriptor(); }
  std::optional<HttpAnswer> head() {
    const std::lock_guard lock(mutex_);
    if (head_) told_ = true;
    show();
    return head_;
  }
  std::string take() {
    const std::lock_guard lock(mutex_);
    std::string out = std::exchange(bytes_, {});
    if (over_ && head_) ended_ = true;
    if (when_sent_ && !out.empty()) post(when_sent_);
    show();
    return out;
  }
  bool over() const {
    const std::lock_guard lock(mutex_);
    return over_ && bytes_.empty();
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    if (over_ || std::exchange(gone_, true)) return;
    bytes_ = {};
    if (when_gone_) post(std::exchange(when_gone_, {}));
  }

 private:
  bool ready() const { return (head_ && !told_) || !bytes_.empty() || (over_ && !ended_); }
  void show() { ready() ? wakeup_.set() : wakeup_.clear(); }
  void post(std::function<void()> f) {
    if (f) service_.post(std::move(f));
  }
  template <class F>
  void change(F f) {
    const std::lock_guard lock(mutex_);
    f();
    show();
    changed_.notify_all();
  }

  LocalService& service_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Wakeup wakeup_;
  std::optional<HttpAnswer> head_;
  std::string bytes_;
  bool over_ = false, gone_ = false;
  bool told_ = false, ended_ = false;  // the reader has seen the head, and the end
  std::function<void()> when_sent_, when_gone_;
};

namespace {

class LocalExchange final : public Exchange {
 public:
  LocalExchange(HttpRequest request, std::shared_ptr<LocalAnswer> answer)
      : request_(std::move(request)), answer_(std::move(answer)) {}
  ~LocalExchange() override {
    if (!ended_) guarded("serve: an answer", [&] { answer_->end(); });
  }

  const HttpRequest& request() const override { return request_; }
  std::string take_body() override { return std::move(request_.body); }
  bool hold(int64_t) override { return true; }

  void send(HttpAnswer answer) override {
    answer_->begin(std::move(answer));
    end(/*close=*/false);
  }
  void begin(HttpAnswer head, HttpPing) override { answer_->begin(std::move(head)); }
  void write(std::string piece) override { answer_->write(piece); }
  void end(bool) override {
    ended_ = true;
    answer_->end();
  }

  size_t unsent() const override { return answer_->unsent(); }
  void when_sent(std::function<void()> f) override { answer_->when_sent(std::move(f)); }
  void when_gone(std::function<void()> f) override { answer_->when_gone(std::move(f)); }
  bool gone() const override { return answer_->gone(); }

 private:
  HttpRequest request_;
  std::shared_ptr<LocalAnswer> answer_;
  bool ended_ = false;
};

}  // namespace

LocalCall::LocalCall(LocalService& service, HttpRequest request) : answer_(std::make_shared<LocalAnswer>(service)) {
  service.call(std::make_shared<LocalExchange>(std::move(request), answer_));
}

LocalCall::~LocalCall() {
  guarded("serve: a call", [&] { leave(); });
}

bool LocalCall::wait(std::chrono::milliseconds patience) { return answer_->wait(patience); }
bool LocalCall::is_ready() const { return answer_->is_ready(); }
int LocalCall::descriptor() const { return answer_->descriptor(); }
std::optional<HttpAnswer> LocalCall::head() const { return answer_->head(); }
std::string LocalCall::take() { return answer_->take(); }
bool LocalCall::over() const { return answer_->over(); }
void LocalCall::leave() { answer_->leave(); }

}  // namespace skald::serve
