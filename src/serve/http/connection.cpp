#include "serve/http/connection.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/terminal_text.h"
#include "serve/http/exchange.h"

namespace skald::serve {

Connection::Connection(std::shared_ptr<Network> network, int fd, std::unique_ptr<Socket> socket, std::string peer)
    : network_(std::move(network)),
      watch_(network_->loop, fd),
      socket_(std::move(socket)),
      peer_(std::move(peer)),
      began_(HttpClock::now()),
      moved_(began_) {}

void Connection::start() {
  network_->add(shared_from_this());
  shake_hands();
}

void Connection::turn_away() {
  turned_away_ = true;
  start();
}

void Connection::finish() {
  if (out_.empty() || state_ == State::kLingering) return close();
  closing_ = stopping_ = true;
  state_ = State::kFlushing;
  wait();
}

void Connection::close() {
  if (state_ == State::kClosed) return;
  const auto self = shared_from_this();
  state_ = State::kClosed;
  watch_.close();
  reader_ = nullptr;
  in_ = {};
  out_ = {};
  count_unread();
  if (const auto turn = std::exchange(turn_, nullptr)) {
    turn->gone = true;
    turn->when_sent = {};
    if (const auto f = std::exchange(turn->when_gone, {})) f();
  }
  network_->remove(self);
}

void Connection::shake_hands() {
  const IoResult done = socket_->handshake();
  if (done.kind == IoResult::Kind::kDone) {
    if (turned_away_) {
      refuse({.status = 503, .message = "too many connections"});
      return wait();
    }
    state_ = State::kReading;
    return receive();
  }
  if (done.kind == IoResult::Kind::kEnd || done.kind == IoResult::Kind::kFailed) return close();
  if (done.kind == IoResult::Kind::kWantWrite) watch_.wait_writable(shared_from_this());
  wait();
}

void Connection::on_readable() {
  if (state_ == State::kHandshake) return shake_hands();
  receive();
  // TLS may have waited for bytes before it could write.
  if (!out_.empty() && !watch_.waits_writable()) send_queued();
}

void Connection::count_unread() {
  const int64_t now = static_cast<int64_t>(in_.size() + (reader_ ? reader_->held() : 0));
  network_->unread += now - unread_;
  unread_ = now;
}

// While a request is answered, one more is read ahead: that shows when the client leaves. Beyond it, on_timer() looks.
bool Connection::may_read() const {
  if (state_ != State::kAnswering && state_ != State::kFlushing) return state_ != State::kClosed;
  const HttpOptions& options = network_->options;
  return !input_ended_ && network_->unread < options.max_unread &&
         static_cast<int64_t>(in_.size()) < options.max_line + options.max_header + options.max_body;
}

void Connection::receive() {
  if (!may_read()) return wait();
  const IoResult got = socket_->read(network_->scratch);
  if (got.kind == IoResult::Kind::kFailed) return close();
  if (got.kind == IoResult::Kind::kEnd) return end_of_input();
  if (got.kind == IoResult::Kind::kWantWrite) watch_.wait_writable(shared_from_this());
  if (got.kind == IoResult::Kind::kDone) {
    // Sending on is no sign that a client takes its answer.
    if (out_.empty()) moved_ = HttpClock::now();
    if (state_ != State::kLingering) in_.append({network_->scratch.data(), got.bytes});
    read_requests();
  }
  wait();
}

// A client that has closed its side has left, unless its answer is complete and only needs sending.
void Connection::end_of_input() {
  if (state_ != State::kFlushing) return close();
  closing_ = input_ended_ = true;
  wait();
}

void Connection::read_requests() {
  if (state_ != State::kReading) return;
  if (!reader_) {
    if (in_.view().starts_with("\r\n")) in_.consume(2);  // RFC 9112, 2.2: an empty line before a request
    if (in_.empty()) return;
    reader_ = std::make_unique<RequestReader>(network_->options);
    began_ = HttpClock::now();
  }
  const RequestReader::State state = reader_->read(in_);
  count_unread();
  if (state == RequestReader::State::kDone) return begin_turn();
  if (state == RequestReader::State::kRefused) return refuse(reader_->refusal(), reader_->request().header("x-request-id"));
  if (network_->unread > network_->options.max_unread)
    return refuse_unread(503, "too many bytes of requests are being read");
  if (reader_->take_expectation()) queue("HTTP/1.1 100 Continue\r\n\r\n");
}

void Connection::begin_turn() {
  HttpRequest request = std::move(reader_->request());
  request.id = network_->request_id(request.header("x-request-id"));
  request.peer = peer_;
  request.arrived = HttpClock::now();
  framing_ = {.id = request.id,
              .http10 = reader_->is_http10(),
              .head_only = request.method == "HEAD",
              .keep_alive = reader_->keeps_alive()};
  reader_ = nullptr;
  state_ = State::kAnswering;
  turn_ = std::make_shared<Turn>();
  turn_->queued = out_.bytes();
  const auto exchange = make_exchange(network_, weak_from_this(), turn_, std::move(request), framing_);
  try {
    network_->handle(exchange);
  } catch (const std::exception& e) {  // the exchange is dropped: 500, or the stream's end
    log(LogLevel::kError, "request {}: {}", framing_.id, terminal_text(e.what()));
  }
}

}  // namespace skald::serve
