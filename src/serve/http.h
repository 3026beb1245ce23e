// HTTP as routes see it: requests, answers and streams. The server of it is in http/.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/workers/errand.h"

namespace skald::serve {

using HttpClock = std::chrono::steady_clock;
using HttpFields = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method;       // "GET", as it came
  std::string path;         // percent-decoded, without the query; maybe no UTF-8
  HttpFields query = {};    // decoded
  HttpFields headers = {};  // names in lower case
  std::string body = {};
  std::string id = {};      // of the answer's x-request-id: the client's, or one that was made up
  std::string peer = {};    // the client's address, for the log
  std::string client = {};  // the client's: see HttpOptions::client_of
  HttpClock::time_point arrived = {};

  /// Returns a header's first value; empty where there is none. `name` in lower case.
  std::string_view header(std::string_view name) const;
  /// Returns a query parameter's first value; null where there is none.
  const std::string* parameter(std::string_view name) const;
};

/// Content-Length, Connection, Date, x-request-id and the framing are the connection's.
struct HttpAnswer {
  int status = 200;
  HttpFields headers = {};
  std::string body = {};
};

/// A text that a stream sends while nothing else is sent.
struct HttpPing {
  std::string text = {};  // empty: nothing
  std::chrono::milliseconds every = {};
};

/// A request and its answer: send(), or begin(), write()s and end(). Any thread may use it, one at a time. Pieces for a
/// client that has left are lost without an error. An exchange that is dropped without an answer is answered with 500. One
/// that is dropped within its stream, or for a piece of which there was no memory, closes the connection.
class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual const HttpRequest& request() const = 0;
  /// Takes the body away, which may be large. It counts as held as long as the exchange is there, or up to hold().
  virtual std::string take_body() = 0;
  /// Holds `bytes` of the request from now on; false, and nothing is changed, where there is no room for more.
  virtual bool hold(int64_t bytes) = 0;

  virtual void send(HttpAnswer answer) = 0;

  /// Begins a stream, whose body is `head.body` and the pieces that follow; pings until the first write().
  virtual void begin(HttpAnswer head, HttpPing ping = {}) = 0;
  /// Leaves at once, in one piece.
  virtual void write(std::string piece) = 0;
  /// `close`: the connection closes after it, as after an error.
  virtual void end(bool close = false) = 0;

  /// Returns the bytes of this answer that the operating system has not taken yet.
  virtual size_t unsent() const = 0;
  /// `f` is called, on the network's thread, whenever unsent() has come down to 0 before the answer's end; soon if it is 0
  /// now.
  virtual void when_sent(std::function<void()> f) = 0;
  /// `f` is called once, on the network's thread, if the client leaves before the answer's end; soon if it has.
  virtual void when_gone(std::function<void()> f) = 0;
  virtual bool gone() const = 0;
};

struct HttpOptions {
  std::string host = "127.0.0.1";  // an address, or the path of a UNIX socket, which ends in .sock
  int port = 8080;                 // 0: any free one
  double timeout = 600;            // seconds in which no byte moves; 0: none
  double request_timeout = 30;     // seconds for a header and its body
  int64_t max_body = int64_t{16} << 20;
  /// Bytes that are held of all bodies: of requests until they are read, else 503; of answers until they are sent, else the
  /// slowest readers are cut. One client has as many as it leaves for others.
  int64_t max_body_total = int64_t{1} << 30;
  int64_t stream_buffer = int64_t{1} << 20;  // bytes kept for a slow reader; those beyond have request_timeout to move
  /// Of a request whose head has come, and its peer: whose the bytes are. Empty: the peer's.
  std::function<std::string(const HttpRequest& head)> client_of = {};
  int64_t max_connections = 16384;
  int64_t max_line = 8 << 10;  // bytes of the request line
  int64_t max_header = 64 << 10;
  int64_t max_fields = 100;
  std::string ssl_key = {}, ssl_cert = {};  // files; both or neither
  /// A listening socket that its owner has opened; -1: none.
  int listening = -1;
};

/// The reason for an answer that the server gives by itself.
struct HttpRefusal {
  int status;  // 400, 408, 413, 414, 415, 417, 431, 500, 501, 503 or 505
  std::string message;
  std::string method = {}, path = {};  // where they are known: the shape of errors depends on the path
  std::string id = {};                 // of the answer's x-request-id
  std::string peer = {};
};

class HttpServer {
 public:
  using Handler = std::function<void(std::shared_ptr<Exchange>)>;

  /// Listens. `handle` is called on the network's thread and must not block; `refuse` gives the answer to bytes that are no
  /// request. Raises the limit of open files to the hard one. Throws Error naming the address or the file: kDevice where it
  /// cannot listen, kBadFile or kNotFound for keys and certificates.
  HttpServer(HttpOptions options, Handler handle, std::function<HttpAnswer(const HttpRefusal&)> refuse);
  ~HttpServer();  // closes all connections, and removes a UNIX socket that it made
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// "http://127.0.0.1:8080", "https://[::1]:443" or "unix:/path.sock".
  std::string address() const;
  int64_t connections() const;
  /// Of bodies: see HttpOptions::max_body_total.
  int64_t held_bytes() const;

  /// Serves on the calling thread until stop(). An exception of a call there ends its connection, or is told in the log.
  void run() noexcept;
  /// Ends run() once all written pieces are sent or `grace` is over. From any thread.
  void stop(std::chrono::milliseconds grace = std::chrono::milliseconds(1000));
  /// Runs it on the network's thread, later. From any thread.
  void post(Errand errand) noexcept;
  void after(std::chrono::milliseconds delay, std::function<void()> f);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace skald::serve
