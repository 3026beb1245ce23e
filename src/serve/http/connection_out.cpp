// The output of a connection, and its timeouts.
#include <algorithm>
#include <utility>

#include "base/guarded.h"
#include "base/log.h"
#include "base/sockets.h"
#include "base/terminal_text.h"
#include "serve/http/connection.h"

namespace skald::serve {
namespace {

using namespace std::chrono_literals;

constexpr auto kNever = HttpClock::time_point::max();
constexpr auto kWatchEvery = 100ms;  // whether a client has left whose bytes are not read
constexpr auto kLingerQuiet = 2s, kLingerMost = 5s;
constexpr size_t kPiecesAtOnce = 64;
constexpr int64_t kStep = 64 << 10;  // bytes that an honest reader takes in a while

// 0 seconds: never.
HttpClock::time_point later(HttpClock::time_point begin, double seconds) {
  return seconds > 0 ? begin + seconds_as_duration(seconds) : kNever;
}

}  // namespace

void Connection::take(const std::shared_ptr<Turn>& turn, AnswerPiece piece) {
  if (turn != turn_ || state_ != State::kAnswering) return;
  const size_t size = piece.head.size() + piece.body.size();
  if (piece.head.empty()) turn->ping = {};  // from the first write() on
  if (!piece.ping.text.empty() && piece.ping.every > 0ms) {
    turn->ping = std::move(piece.ping);
    turn->ping_at = HttpClock::now() + turn->ping.every;
  }
  if (piece.last) {
    state_ = State::kFlushing;
    closing_ = closing_ || piece.close;
    turn->end();
  }
  if (out_.empty()) begin_sending();
  out_.add(std::move(piece.head));
  out_.add(std::move(piece.body));
  turn->queued = out_.bytes();
  turn->posted -= size;
  if (!watch_.waits_writable()) send_queued();
  held_output_.set(static_cast<int64_t>(out_.bytes()));
  if (!out_.empty()) network_->make_room(client());
  wait();
}

void Connection::abandon(const std::shared_ptr<Turn>& turn) {
  if (turn != turn_ || state_ != State::kAnswering) return;
  turn->end();
  if (turn->begun) return close();
  const std::string method = framing_.head_only ? "HEAD" : "";
  refuse({.status = 500, .message = "the request was left without an answer", .method = method, .id = framing_.id});
  wait();
}

void Connection::set_when_sent(const std::shared_ptr<Turn>& turn, std::function<void()> f) {
  if (turn != turn_ || turn->over) return;
  turn->when_sent = std::move(f);
  if (turn->queued + turn->posted == 0) turn->when_sent();
}

// Answers without a handler, and closes after it.
void Connection::refuse(HttpRefusal why, std::string_view client_id) {
  if (why.id.empty()) why.id = network_->request_id(client_id);
  why.peer = peer_;
  HttpAnswer answer = network_->refusal(why);
  const Framing framing = {.id = why.id};
  state_ = State::kFlushing;
  closing_ = true;
  std::string text = answer_head(answer, framing, answer.body.size());
  if (why.method != "HEAD") text += answer.body;
  reader_ = nullptr;
  queue(std::move(text));
}

void Connection::refuse_unread(int status, std::string message) {
  HttpRefusal why = reader_->refusal();
  why.status = status;
  why.message = std::move(message);
  refuse(std::move(why), reader_->request().header("x-request-id"));
}

void Connection::begin_sending() {
  stepped_ = moved_ = HttpClock::now();
  sent_ = 0;
}

void Connection::cut() {
  guarded("serve: the log", [&] {
    log(LogLevel::kInfo, "serve: {} does not read its answer: {} bytes are dropped", terminal_text(peer_), out_.bytes());
  });
  close();
}

void Connection::queue(std::string bytes) {
  if (out_.empty()) begin_sending();
  out_.add(std::move(bytes));
  if (!watch_.waits_writable()) send_queued();
}

void Connection::send_queued() {
  while (!out_.empty()) {
    const IoResult sent = socket_->write(out_.front(kPiecesAtOnce));
    if (sent.kind == IoResult::Kind::kDone) {
      out_.consume(sent.bytes);
      moved_ = HttpClock::now();
      sent_ += static_cast<int64_t>(sent.bytes);
      if (sent_ >= kStep) {
        sent_ = 0;
        stepped_ = moved_;
      }
      continue;
    }
    if (sent.kind == IoResult::Kind::kWantWrite) watch_.wait_writable(shared_from_this());
    if (sent.kind == IoResult::Kind::kWantRead) watch_.wait_readable(shared_from_this());
    if (sent.kind == IoResult::Kind::kEnd || sent.kind == IoResult::Kind::kFailed) return close();
    break;
  }
  if (turn_) turn_->queued = out_.bytes();
  held_output_.set(static_cast<int64_t>(out_.bytes()));
  if (out_.empty()) all_sent();
}

void Connection::all_sent() {
  if (turn_ && turn_->when_sent && turn_->posted == 0) turn_->when_sent();
  if (state_ != State::kFlushing) return;
  turn_ = nullptr;
  if (closing_) return linger();
  state_ = State::kReading;
  read_requests();
}

void Connection::linger() {
  socket_->finish();
  if (stopping_ || input_ended_) return close();
  state_ = State::kLingering;
  in_ = {};
  began_ = moved_ = HttpClock::now();
}

void Connection::on_writable() {
  if (state_ == State::kHandshake) return shake_hands();
  if (!out_.empty()) send_queued();
  if (state_ != State::kClosed) receive();  // TLS may have waited for room before it could read
}

void Connection::wait() {
  if (state_ == State::kClosed) return;
  held_input_.set(input_bytes());
  HttpClock::time_point next = deadline();
  if (may_read())
    watch_.wait_readable(shared_from_this());
  else if (!input_ended_)
    next = std::min(next, HttpClock::now() + kWatchEvery);
  if (turn_ && !turn_->ping.text.empty()) next = std::min(next, turn_->ping_at);
  if (next != kNever) watch_.wake_by(next, shared_from_this());
}

HttpClock::time_point Connection::deadline() const {
  const HttpOptions& options = network_->options;
  switch (state_) {
    case State::kHandshake:
      return turned_away_ ? began_ + kLingerMost : later(began_, options.request_timeout);
    case State::kReading:
      return std::min(later(moved_, options.timeout), reader_ ? later(began_, options.request_timeout) : kNever);
    case State::kAnswering:  // with nothing to send it is the server's turn
    case State::kFlushing:
      if (out_.empty()) return kNever;
      return std::min(later(moved_, options.timeout), pace_deadline());
    case State::kLingering:
      return std::min(began_ + kLingerMost, moved_ + kLingerQuiet);
    case State::kClosed:
      break;
  }
  return kNever;
}

// Of a whole answer, the part beyond the buffer of slow readers has its time for each step: single bytes that drip do not
// hold it.
HttpClock::time_point Connection::pace_deadline() const {
  const HttpOptions& options = network_->options;
  if (state_ != State::kFlushing || static_cast<int64_t>(out_.bytes()) <= options.stream_buffer) return kNever;
  return later(stepped_, options.request_timeout);
}

void Connection::on_timer() {
  const HttpClock::time_point now = HttpClock::now();
  if (now >= deadline()) {
    expire();
  } else if (!may_read() && !input_ended_ && peer_has_left(watch_.fd())) {
    end_of_input();
  } else if (turn_ && !turn_->ping.text.empty() && now >= turn_->ping_at) {
    turn_->ping_at = now + turn_->ping.every;
    if (out_.empty()) queue(turn_->ping.text);
  }
  wait();
}

void Connection::expire() {
  if (state_ != State::kReading || !reader_) return close();
  refuse_unread(408, "the request has not come within the time for requests");
}

}  // namespace skald::serve
