// One client: reads its requests, hands out one at a time, and sends the answers in order.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "serve/http/byte_queue.h"
#include "serve/http/head.h"
#include "serve/http/network.h"
#include "serve/http/parser.h"
#include "serve/http/send_queue.h"
#include "serve/http/socket.h"

namespace skald::serve {

/// The state of an answer that its exchange and connection share.
struct Turn {
  std::atomic<bool> gone = false;
  std::atomic<size_t> posted = 0;   // bytes on their way to the network's thread
  std::atomic<size_t> queued = 0;   // bytes that the socket did not take yet
  std::atomic<bool> begun = false;  // a stream has
  // For the network's thread only:
  std::function<void()> when_sent = {}, when_gone = {};
  bool over = false;   // all was written: no callback is called any more
  HttpPing ping = {};  // empty: none, or no more
  HttpClock::time_point ping_at = {};

  void end() {
    over = true;
    when_gone = when_sent = {};  // which may hold the exchange, which holds the turn
    ping = {};
  }
};

/// A step of an answer.
struct AnswerPiece {
  std::string head = {}, body = {};  // two, so that a large body moves
  HttpPing ping = {};                // with a stream's head; framed
  bool last = false;
  bool close = false;  // after it
};

/// For the network's thread only.
class Connection final : public Watch::Owner, public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<Network> network, Watch watch, std::unique_ptr<Socket> socket, std::string peer);

  void start();
  /// Instead of start(): answers with 503 before a request has come, and closes.
  void turn_away();
  /// Closes once all that was written is sent.
  void finish();
  void close() noexcept;

  /// Closes on a client that reads too slowly, at a time when others need its memory.
  void cut();
  /// Returns the bytes that the client has not taken yet, and since when it took hardly any.
  size_t unsent() const { return out_.bytes(); }
  HttpClock::time_point stepped() const { return stepped_; }
  const std::string& client() const { return held_output_.client(); }

  /// Does what the exchange of `turn` asks for; nothing if its turn is over.
  void take(const std::shared_ptr<Turn>& turn, AnswerPiece piece);
  /// The exchange was dropped before the answer's end.
  void abandon(const std::shared_ptr<Turn>& turn);
  void set_when_sent(const std::shared_ptr<Turn>& turn, std::function<void()> f);

  void on_readable() override;
  void on_writable() override;
  void on_timer() override;
  /// Logs its failure, and closes.
  void on_failure() noexcept override;

 private:
  // kReading: a request, or waiting for one. kAnswering: the handler has it. kFlushing: the answer is complete and partly
  // sent. kLingering: all is sent. Later bytes of the client are dropped, so that no reset takes the answer away from it.
  enum class State { kHandshake, kReading, kAnswering, kFlushing, kLingering, kClosed };

  // connection.cpp: the way in
  void shake_hands();
  void receive();
  void end_of_input();
  void read_requests();
  void begin_turn();
  bool hold_input();
  int64_t input_bytes() const;
  bool may_read() const;

  // connection_out.cpp: the way out, and time
  void refuse(HttpRefusal why, std::string_view client_id = {});
  void refuse_unread(int status, std::string message);
  void queue(std::string bytes);
  void begin_sending();
  void send_queued();
  void all_sent();
  void linger();
  void wait();
  HttpClock::time_point deadline() const;
  HttpClock::time_point pace_deadline() const;
  void expire();

  std::shared_ptr<Network> network_;
  Watch watch_;
  std::unique_ptr<Socket> socket_;
  std::string peer_;
  State state_ = State::kHandshake;
  bool turned_away_ = false;  // after the handshake
  bool closing_ = false;      // after the queued bytes
  bool stopping_ = false;     // without lingering
  bool input_ended_ = false;  // while the end of an answer is sent
  ByteQueue in_ = {};
  HeldBytes held_input_;  // the bytes that came, and those of a body to come
  SendQueue out_ = {};
  HeldBytes held_output_;
  std::unique_ptr<RequestReader> reader_ = nullptr;  // from a request's first byte to its last
  Framing framing_ = {};
  std::shared_ptr<Turn> turn_ = nullptr;
  HttpClock::time_point began_;         // the handshake, the request, or lingering
  HttpClock::time_point moved_;         // when the last byte did
  HttpClock::time_point stepped_ = {};  // when there was something to send, and then when the last step of bytes was sent
  int64_t sent_ = 0;                    // since then
};

}  // namespace skald::serve
