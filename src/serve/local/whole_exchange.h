// WholeExchange: a request that no network has brought, and whose answer goes to a function as a whole.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "serve/http.h"

namespace skald::serve {

class WholeExchange final : public Exchange {
 public:
  using Answered = std::function<void(HttpAnswer)>;

  /// `answered` is called once, on any thread; with status 500 where the exchange is dropped without an answer. It must not
  /// throw then.
  WholeExchange(HttpRequest request, Answered answered) : request_(std::move(request)), answered_(std::move(answered)) {}
  ~WholeExchange() override {
    if (answered_) std::exchange(answered_, {})({.status = 500});
  }

  const HttpRequest& request() const override { return request_; }
  std::string take_body() override { return std::move(request_.body); }

  bool hold(int64_t) override { return true; }

  void send(HttpAnswer answer) override {
    if (answered_) std::exchange(answered_, {})(std::move(answer));
  }
  // A stream comes as a whole.
  void begin(HttpAnswer head, HttpPing) override { streamed_ = std::move(head); }
  void write(std::string piece) override { streamed_.body += piece; }
  void end(bool) override { send(std::move(streamed_)); }

  size_t unsent() const override { return 0; }
  void when_sent(std::function<void()>) override {}
  void when_gone(std::function<void()>) override {}
  bool gone() const override { return false; }

 private:
  HttpRequest request_;
  Answered answered_;
  HttpAnswer streamed_;
};

}  // namespace skald::serve
