#include "serve/http/exchange.h"

#include <optional>
#include <utility>

#include "base/error.h"
#include "serve/workers/errand.h"

namespace skald::serve {
namespace {

// Frames pieces on the thread that writes them, and posts them to the network's thread. Posts hold no connection: an
// exchange that is kept longer than the server leaves no circle.
class PostingExchange final : public Exchange {
 public:
  PostingExchange(std::shared_ptr<Network> network, std::weak_ptr<Connection> connection, std::shared_ptr<Turn> turn,
                  HttpRequest request, Framing framing, HeldBytes body)
      : network_(std::move(network)),
        connection_(std::move(connection)),
        turn_(std::move(turn)),
        request_(std::move(request)),
        framing_(std::move(framing)),
        body_(std::move(body)),
        abandoned_(to_connection([turn = turn_](Connection& connection) { connection.abandon(turn); })) {}

  ~PostingExchange() override { abandon(); }

  const HttpRequest& request() const override { return request_; }
  std::string take_body() override { return std::exchange(request_.body, {}); }
  bool hold(int64_t bytes) override { return body_.try_set(bytes); }

  void send(HttpAnswer answer) override {
    SKALD_ASSERT(!begun_ && !ended_);
    std::string head = answer_head(answer, framing_, answer.body.size());
    const bool bodyless = framing_.head_only || is_bodyless(answer.status);
    post_piece({.head = std::move(head),
                .body = bodyless ? "" : std::move(answer.body),
                .last = true,
                .close = !framing_.keep_alive});
    ended_ = true;
  }

  void begin(HttpAnswer head, HttpPing ping) override {
    SKALD_ASSERT(!begun_ && !ended_);
    bodyless_ = framing_.head_only || is_bodyless(head.status);
    if (framing_.http10) framing_.keep_alive = false;
    std::string text = answer_head(head, framing_, std::nullopt);
    ping.text = framed(std::move(ping.text));
    post_piece({.head = std::move(text), .body = framed(std::move(head.body)), .ping = std::move(ping)});
    turn_->begun = begun_ = true;
  }

  void write(std::string piece) override {
    SKALD_ASSERT(begun_ && !ended_);
    if (piece.empty()) return;
    or_abandon([&] { post_piece({.body = framed(std::move(piece))}); });
  }

  void end(bool close) override {
    SKALD_ASSERT(begun_ && !ended_);
    const bool chunked = !bodyless_ && !framing_.http10;
    or_abandon([&] {
      post_piece({.body = std::string(chunked ? kLastChunk : ""), .last = true, .close = close || !framing_.keep_alive});
    });
    ended_ = true;
  }

  size_t unsent() const override { return gone() ? 0 : turn_->posted + turn_->queued; }
  bool gone() const override { return turn_->gone; }

  void when_sent(std::function<void()> f) override {
    network_->loop.post(
        to_connection([turn = turn_, f = std::move(f)](Connection& connection) { connection.set_when_sent(turn, f); }));
  }

  void when_gone(std::function<void()> f) override {
    network_->loop.post([turn = turn_, f = std::move(f)] {
      if (turn->gone)
        f();
      else if (!turn->over)
        turn->when_gone = f;
    });
  }

 private:
  std::string framed(std::string piece) const {
    if (bodyless_ || piece.empty()) return {};
    if (!framing_.http10) return as_chunk(piece);
    return piece;
  }

  void post_piece(AnswerPiece piece) {
    if (gone()) return;
    const size_t size = piece.head.size() + piece.body.size();
    // std::function wants objects that can be copied.
    Errand errand = to_connection([turn = turn_, piece = std::make_shared<AnswerPiece>(std::move(piece))](
                                      Connection& connection) { connection.take(turn, std::move(*piece)); });
    turn_->posted += size;
    network_->loop.post(std::move(errand));
  }

  // A stream that lacks a piece must not go on.
  template <class F>
  void or_abandon(F f) {
    try {
      f();
    } catch (...) {
      abandon();
      throw;
    }
  }

  // Once. This takes no memory.
  void abandon() noexcept {
    if (ended_ || gone() || !abandoned_) return;
    network_->loop.post(std::move(*abandoned_));
    abandoned_.reset();
  }

  template <class F>
  Errand to_connection(F f) const {
    return [connection = connection_, f = std::move(f)] {
      const auto there = connection.lock();
      if (!there) return;
      try {
        f(*there);
      } catch (...) {
        there->on_failure();
      }
    };
  }

  std::shared_ptr<Network> network_;
  std::weak_ptr<Connection> connection_;
  std::shared_ptr<Turn> turn_;
  HttpRequest request_;
  Framing framing_;
  HeldBytes body_;
  std::optional<Errand> abandoned_;
  bool begun_ = false, ended_ = false, bodyless_ = false;
};

}  // namespace

std::shared_ptr<Exchange> make_exchange(std::shared_ptr<Network> network, std::weak_ptr<Connection> connection,
                                        std::shared_ptr<Turn> turn, HttpRequest request, Framing framing, HeldBytes body) {
  return std::make_shared<PostingExchange>(std::move(network), std::move(connection), std::move(turn), std::move(request),
                                           std::move(framing), std::move(body));
}

}  // namespace skald::serve
