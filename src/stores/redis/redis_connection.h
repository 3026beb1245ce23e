// RedisConnection: commands and replies of Redis' protocol (RESP2), by hiredis, over a connection of libcurl's.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stores/redis/redis_url.h"
#include "stores/remote_table.h"

namespace skald {

struct RedisReply {
  enum class Kind : uint8_t { kString, kStatus, kError, kInteger, kNone };
  Kind kind = Kind::kNone;
  int64_t integer = 0;
  std::vector<std::byte> bytes = {};  // of a string, status or error

  std::string text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
  bool is_error(std::string_view word) const { return kind == Kind::kError && text().starts_with(word); }
};

/// hiredis writes and reads the protocol. libcurl finds the host, does TLS, and waits no longer than it is told: hiredis
/// 0.14 knows no TLS, and its time limits are those of each read.
class RedisConnection {
 public:
  RedisConnection(RedisAddress address, RemoteTimes times);
  ~RedisConnection();
  RedisConnection(const RedisConnection&) = delete;
  RedisConnection& operator=(const RedisConnection&) = delete;

  const RedisAddress& address() const { return address_; }
  bool is_open() const;
  /// Connects anew, and logs in. Throws StoreDown.
  void open();
  void close() noexcept;

  /// Begins commands that have to be answered within the time of an operation. Connects where it is not, and anew where
  /// replies were not taken.
  void begin();
  /// Sends it with those after it when the first reply is wanted.
  void add(std::initializer_list<std::string_view> command);
  /// The next command's. Throws StoreDown where there is none in time, or it is an error; not for one that begins with
  /// `allowed`.
  RedisReply reply(std::string_view allowed = {});

 private:
  struct Link;
  void log_in();
  void send();
  void receive();
  void wait(bool to_write);
  [[noreturn]] void fail_with(const std::string& why);

  const RedisAddress address_;
  const RemoteTimes times_;
  std::unique_ptr<Link> link_;
  std::string unsent_;
  std::chrono::steady_clock::time_point until_ = {};
  int64_t owed_ = 0;     // replies to come
  size_t received_ = 0;  // bytes of the reply that is coming
};

}  // namespace skald
