#include "serve/http/exchange.h"

#include <utility>

#include "base/error.h"

namespace skald::serve {
namespace {

// Frames what is written, on the thread that writes it, and posts it to the network's thread. Posts hold no connection:
// whoever keeps an exchange longer than the server leaves no circle behind.
class PostingExchange final : public Exchange {
 public:
  PostingExchange(std::shared_ptr<Network> network, std::weak_ptr<Connection> connection, std::shared_ptr<Turn> turn,
                  HttpRequest request, Framing framing, HeldBytes body)
      : network_(std::move(network)),
        connection_(std::move(connection)),
        turn_(std::move(turn)),
        request_(std::move(request)),
        framing_(std::move(framing)),
        body_(std::move(body)) {}

  ~PostingExchange() override {
    if (ended_ || gone()) return;
    post([turn = turn_, begun = begun_](Connection& connection) { connection.abandon(turn, begun); });
  }

  const HttpRequest& request() const override { return request_; }
  std::string take_body() override { return std::exchange(request_.body, {}); }
  bool hold(int64_t bytes) override { return body_.try_set(bytes); }

  void send(HttpAnswer answer) override {
    SKALD_ASSERT(!begun_ && !ended_);
    std::string head = answer_head(answer, framing_, answer.body.size());
    const bool bodyless = framing_.head_only || is_bodyless(answer.status);
    ended_ = true;
    post_piece({.head = std::move(head),
                .body = bodyless ? "" : std::move(answer.body),
                .last = true,
                .close = !framing_.keep_alive});
  }

  void begin(HttpAnswer head, HttpPing ping) override {
    SKALD_ASSERT(!begun_ && !ended_);
    begun_ = true;
    bodyless_ = framing_.head_only || is_bodyless(head.status);
    if (framing_.http10) framing_.keep_alive = false;
    std::string text = answer_head(head, framing_, std::nullopt);
    ping.text = framed(std::move(ping.text));
    post_piece({.head = std::move(text), .body = framed(std::move(head.body)), .ping = std::move(ping)});
  }

  void write(std::string piece) override {
    SKALD_ASSERT(begun_ && !ended_);
    if (!piece.empty()) post_piece({.body = framed(std::move(piece))});
  }

  void end(bool close) override {
    SKALD_ASSERT(begun_ && !ended_);
    ended_ = true;
    const bool chunked = !bodyless_ && !framing_.http10;
    post_piece({.body = std::string(chunked ? kLastChunk : ""), .last = true, .close = close || !framing_.keep_alive});
  }

  size_t unsent() const override { return gone() ? 0 : turn_->posted + turn_->queued; }
  bool gone() const override { return turn_->gone; }

  void when_sent(std::function<void()> f) override {
    post([turn = turn_, f = std::move(f)](Connection& connection) { connection.set_when_sent(turn, f); });
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
    turn_->posted += piece.head.size() + piece.body.size();
    // std::function wants what can be copied.
    post([turn = turn_, piece = std::make_shared<AnswerPiece>(std::move(piece))](Connection& connection) {
      connection.take(turn, std::move(*piece));
    });
  }

  template <class F>
  void post(F f) {
    network_->loop.post([connection = connection_, f = std::move(f)] {
      if (const auto there = connection.lock()) f(*there);
    });
  }

  std::shared_ptr<Network> network_;
  std::weak_ptr<Connection> connection_;
  std::shared_ptr<Turn> turn_;
  HttpRequest request_;
  Framing framing_;
  HeldBytes body_;
  bool begun_ = false, ended_ = false, bodyless_ = false;
};

}  // namespace

std::shared_ptr<Exchange> make_exchange(std::shared_ptr<Network> network, std::weak_ptr<Connection> connection,
                                        std::shared_ptr<Turn> turn, HttpRequest request, Framing framing, HeldBytes body) {
  return std::make_shared<PostingExchange>(std::move(network), std::move(connection), std::move(turn), std::move(request),
                                           std::move(framing), std::move(body));
}

}  // namespace skald::serve
