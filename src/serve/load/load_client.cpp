#include "serve/load/load_client.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/sockets.h"
#include "serve/http/network.h"
#include "serve/http/socket.h"

namespace skald::serve {

class LoadClient::Connection : public Watch::Owner, public std::enable_shared_from_this<Connection> {
 public:
  Connection(LoadClient& client, int fd) : client_(client), watch_(client.loop_, Descriptor(fd)) {
    socket_ = client.tls_ ? client.tls_->socket(fd, client.options_.target.host) : plain_socket(fd);
  }

  bool is_usable() const { return !peer_has_left(watch_.fd()); }

  void begin(LoadAsk ask) {
    out_ = client_.request_text(ask);
    ask_ = std::move(ask);
    sent_ = 0;
    reader_ = {};
    reused_ = part_ == Part::kIdle;
    answered_ = false;
    moved();
    if (!socket_) return end("no memory for a connection");
    if (part_ == Part::kIdle) part_ = Part::kAsking;
    if (part_ == Part::kConnecting) return watch_.wait_writable(shared_from_this());
    go_on();
  }
  void close() { watch_.close(); }

  void on_readable() override { go_on(); }
  void on_writable() override {
    if (part_ == Part::kConnecting && !connected()) return;
    go_on();
  }
  void on_timer() override {
    if (part_ == Part::kIdle) return;
    if (HttpClock::now() >= until_) return end(fmt::format("no byte came for {} seconds", client_.options_.timeout));
    watch_.wake_by(until_, shared_from_this());
  }

 private:
  enum class Part : uint8_t { kConnecting, kHandshake, kAsking, kIdle };

  void moved() {
    until_ = HttpClock::now() + seconds_as_duration(client_.options_.timeout);
    watch_.wake_by(until_, shared_from_this());
  }

  bool connected() {
    int error = 0;
    socklen_t size = sizeof(error);
    ::getsockopt(watch_.fd(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) {
      end(std::strerror(error));
      return false;
    }
    part_ = Part::kHandshake;
    return true;
  }

  void go_on() {
    const auto self = shared_from_this();
    if (part_ == Part::kHandshake && !shake_hands()) return;
    if (part_ != Part::kAsking) return;
    if (sent_ < out_.size() && !send()) return;
    receive();
  }

  // The functions below return false where there is nothing to do before the socket is ready, or the exchange is over.
  bool shake_hands() {
    const IoResult done = socket_->handshake();
    if (done.kind == IoResult::Kind::kDone) part_ = Part::kAsking;
    return waited(done, "TLS");
  }

  bool send() {
    while (sent_ < out_.size()) {
      const std::array<std::string_view, 1> pieces = {std::string_view(out_).substr(sent_)};
      const IoResult done = socket_->write(pieces);
      // A server may answer before it has read all, and close then.
      if (done.kind == IoResult::Kind::kFailed) return true;
      if (!waited(done, "sending")) {
        if (part_ == Part::kAsking) watch_.wait_readable(shared_from_this());
        return false;
      }
      sent_ += done.bytes;
      moved();
    }
    return true;
  }

  bool waited(const IoResult& done, const char* doing) {
    switch (done.kind) {
      case IoResult::Kind::kDone:
        return true;
      case IoResult::Kind::kWantRead:
        watch_.wait_readable(shared_from_this());
        return false;
      case IoResult::Kind::kWantWrite:
        watch_.wait_writable(shared_from_this());
        return false;
      default:
        lost(fmt::format("{}: {}", doing, client_.tls_ ? tls_error() : "the server has closed the connection"));
        return false;
    }
  }

  void receive() {
    while (part_ == Part::kAsking) {
      const IoResult got = socket_->read(client_.scratch_);
      if (got.kind == IoResult::Kind::kEnd || got.kind == IoResult::Kind::kFailed) return take_end();
      if (!waited(got, "receiving")) return;
      moved();
      answered_ = true;
      if (!take({client_.scratch_.data(), got.bytes})) return;
    }
  }

  // Reads the answer; an error of the caller that hears it is the answer's.
  bool take(std::string_view bytes) {
    try {
      const auto sink = [this](std::string_view piece) { ask_.on_bytes(reader_, piece); };
      if (reader_.read(bytes, sink) == ResponseReader::State::kMore) return true;
    } catch (const Error& e) {
      end(e.what());
      return false;
    }
    end("");
    return false;
  }

  void take_end() {
    try {
      reader_.end();
    } catch (const Error& e) {
      return lost(e.what());
    }
    end("");
  }

  // A server may close an idle connection just when it is used again: then the request goes over a new one.
  void lost(const std::string& error) {
    if (!reused_ || answered_) return end(error);
    const auto self = shared_from_this();
    part_ = Part::kIdle;
    close();
    client_.connections_.erase(self);
    client_.ask_anew(std::exchange(ask_, {}));
  }

  void end(const std::string& error) {
    const auto self = shared_from_this();
    const bool again = error.empty() && reader_.keeps_alive() && sent_ == out_.size();
    part_ = Part::kIdle;
    if (again) {
      client_.idle_.push_back(self);
    } else {
      close();
      client_.connections_.erase(self);
    }
    // The caller that hears it may ask anew.
    const auto on_end = std::exchange(ask_, {}).on_end;
    on_end(reader_.status(), error);
  }

  LoadClient& client_;
  Watch watch_;
  std::unique_ptr<Socket> socket_;
  Part part_ = Part::kConnecting;
  LoadAsk ask_;
  std::string out_;
  size_t sent_ = 0;
  ResponseReader reader_;
  bool reused_ = false, answered_ = false;  // answered_: a byte of the answer has come
  HttpClock::time_point until_;
};

LoadClient::LoadClient(HttpLoop& loop, LoadClientOptions options)
    : loop_(loop),
      options_(std::move(options)),
      address_(options_.target),
      tls_(options_.target.tls ? std::make_unique<TlsClient>(options_.verify) : nullptr),
      scratch_(size_t{64} << 10, '\0') {}

LoadClient::~LoadClient() {
  for (const auto& connection : connections_) connection->close();
  loop_.end();
}

std::string LoadClient::request_text(const LoadAsk& ask) const {
  std::string out = fmt::format("{} {}{} HTTP/1.1\r\nHost: {}\r\nUser-Agent: skald\r\nAccept: */*\r\n", ask.method,
                                options_.target.base, ask.path, options_.target.authority());
  if (!options_.api_key.empty()) out += "Authorization: Bearer " + options_.api_key + "\r\n";
  if (!ask.prefix.empty()) out += fmt::format("X-Skald-Prefix: {}\r\n", ask.prefix);
  if (!ask.body.empty()) out += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", ask.body.size());
  return out + "\r\n" + ask.body;
}

void LoadClient::ask(LoadAsk ask) {
  while (!idle_.empty()) {
    const std::shared_ptr<Connection> connection = std::move(idle_.back());
    idle_.pop_back();
    if (connection->is_usable()) return connection->begin(std::move(ask));
    connection->close();
    connections_.erase(connection);
  }
  ask_anew(std::move(ask));
}

void LoadClient::ask_anew(LoadAsk ask) {
  const int fd = address_.connect();
  if (fd < 0) {
    const std::string error = std::strerror(errno);
    return loop_.post([error, on_end = std::move(ask.on_end)] { on_end(0, error); });
  }
  const auto connection = std::make_shared<Connection>(*this, fd);
  connections_.insert(connection);
  connection->begin(std::move(ask));
}

}  // namespace skald::serve
