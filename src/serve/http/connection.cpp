#include "serve/http/connection.h"

#include <algorithm>
#include <utility>

#include "base/guarded.h"
#include "base/log.h"
#include "base/terminal_text.h"
#include "serve/http/exchange.h"

namespace skald::serve {
namespace {

constexpr std::string_view kConnection = "serve: a connection";

// As long as no request has come.
std::string client_of(const Network& network, const std::string& peer) {
  HttpRequest none;
  none.peer = peer;
  return network.client_of(none);
}

}  // namespace

Connection::Connection(std::shared_ptr<Network> network, Watch watch, std::unique_ptr<Socket> socket, std::string peer)
    : network_(std::move(network)),
      watch_(std::move(watch)),
      socket_(std::move(socket)),
      peer_(std::move(peer)),
      held_input_(network_->budget, client_of(*network_, peer_)),
      held_output_(network_->budget, held_input_.client()),
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

void Connection::close() noexcept {
  if (state_ == State::kClosed) return;
  const auto self = shared_from_this();
  state_ = State::kClosed;
  watch_.close();
  reader_ = nullptr;
  in_ = {};
  out_ = {};
  held_input_.set(0);
  held_output_.set(0);
  if (const auto turn = std::exchange(turn_, nullptr)) {
    turn->gone = true;
    turn->when_sent = {};
    if (const auto f = std::exchange(turn->when_gone, {})) guarded(kConnection, f);
  }
  network_->remove(self);
}

void Connection::on_failure() noexcept {
  log_failure(kConnection);
  close();
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

int64_t Connection::input_bytes() const { return static_cast<int64_t>(in_.size()) + (reader_ ? reader_->body_bytes() : 0); }

// False where there is no room for a body's bytes, those to come included.
bool Connection::hold_input() {
  if (reader_ && reader_->has_head()) {
    HttpRequest& head = reader_->request();
    head.peer = peer_;
    if (head.client.empty()) head.client = network_->client_of(head);
    held_input_.give_to(head.client);
  }
  return held_input_.try_set(input_bytes());
}

// While a request is answered, the beginning of one more is read: that shows when the client leaves. Beyond it, on_timer()
// looks.
bool Connection::may_read() const {
  if (state_ != State::kAnswering && state_ != State::kFlushing) return state_ != State::kClosed;
  const HttpOptions& options = network_->options;
  return !input_ended_ && static_cast<int64_t>(in_.size()) < options.max_line + options.max_header;
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
  if (state == RequestReader::State::kRefused) return refuse(reader_->refusal(), reader_->request().header("x-request-id"));
  if (!hold_input()) return refuse_unread(503, "too many bytes of requests wait to be read");
  if (state == RequestReader::State::kDone) return begin_turn();
  if (reader_->take_expectation()) queue("HTTP/1.1 100 Continue\r\n\r\n");
}

void Connection::begin_turn() {
  HttpRequest request = std::move(reader_->request());
  request.id = network_->request_id(request.header("x-request-id"));
  request.arrived = HttpClock::now();
  framing_ = {.id = request.id,
              .http10 = reader_->is_http10(),
              .head_only = request.method == "HEAD",
              .keep_alive = reader_->keeps_alive()};
  held_output_.give_to(request.client);
  HeldBytes body = held_input_.split(reader_->body_bytes());
  reader_ = nullptr;
  state_ = State::kAnswering;
  turn_ = std::make_shared<Turn>();
  turn_->queued = out_.bytes();
  const auto exchange = make_exchange(network_, weak_from_this(), turn_, std::move(request), framing_, std::move(body));
  try {
    network_->handle(exchange);
  } catch (const std::exception& e) {  // the exchange is dropped: 500, or the stream's end
    log(LogLevel::kError, "request {}: {}", framing_.id, terminal_text(e.what()));
  }
}

}  // namespace skald::serve
