#include "stores/redis/redis_connection.h"

#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <utility>

#include "hub/curl_handle.h"
#include "io/printable.h"
#include "kv/disk/record_store.h"
#include "stores/redis/redis_reader.h"

namespace skald {
namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t kPiece = size_t{256} << 10;
constexpr size_t kMostReply = size_t{513} << 20;  // Redis' longest value, and what stands around it

CurlHandle connected(const RedisAddress& address, RemoteTimes times) {
  CurlHandle out = new_curl();
  const std::string host = address.socket.empty() ? address.host : "localhost";
  const std::string url = fmt::format("{}://{}:{}", address.tls ? "https" : "http", host, address.port);
  std::array<char, CURL_ERROR_SIZE> why{};
  set_curl(out.get(), CURLOPT_URL, url.c_str());
  set_curl(out.get(), CURLOPT_CONNECT_ONLY, 1L);
  set_curl(out.get(), CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(times.connect.count()));
  set_curl(out.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(times.connect.count()));
  set_curl(out.get(), CURLOPT_PROXY, "");  // those of the environment are of HTTP
  set_curl(out.get(), CURLOPT_SSL_ENABLE_ALPN, 0L);
  set_curl(out.get(), CURLOPT_ERRORBUFFER, why.data());
  if (!address.socket.empty()) set_curl(out.get(), CURLOPT_UNIX_SOCKET_PATH, ("/" + address.socket).c_str());
  const CURLcode code = curl_easy_perform(out.get());
  set_curl(out.get(), CURLOPT_ERRORBUFFER, nullptr);
  if (code != CURLE_OK) throw StoreDown(Errc::kDevice, why[0] ? why.data() : curl_easy_strerror(code));
  return out;
}

}  // namespace

struct RedisConnection::Link {
  CurlHandle curl;
  RedisReader reader = {};
};

RedisConnection::RedisConnection(RedisAddress address, RemoteTimes times) : address_(std::move(address)), times_(times) {}
RedisConnection::~RedisConnection() = default;

bool RedisConnection::is_open() const { return link_ != nullptr; }

void RedisConnection::close() noexcept {
  link_.reset();
  unsent_.clear();
  owed_ = 0;
}

void RedisConnection::open() {
  close();
  link_ = std::make_unique<Link>(Link{connected(address_, times_)});
  try {
    log_in();
  } catch (...) {  // another command would go to another database
    close();
    throw;
  }
}

void RedisConnection::log_in() {
  until_ = Clock::now() + times_.operation;
  received_ = 0;
  const auto& [user, password] = std::tie(address_.user, address_.password);
  const std::string database = fmt::to_string(address_.database);
  if (!user.empty())
    add({"AUTH", user, password});
  else if (!password.empty())
    add({"AUTH", password});
  if (address_.database) add({"SELECT", database});
  if (!password.empty()) reply();
  if (address_.database) reply();
}

void RedisConnection::begin() {
  if (owed_) close();  // what failed between its replies
  if (!link_) open();
  until_ = Clock::now() + times_.operation;
  received_ = 0;
}

void RedisConnection::add(std::initializer_list<std::string_view> command) {
  std::vector<const char*> words;
  std::vector<size_t> sizes;
  for (const std::string_view word : command) {
    words.push_back(word.data());
    sizes.push_back(word.size());
  }
  char* text = nullptr;
  const int size = redisFormatCommandArgv(&text, static_cast<int>(words.size()), words.data(), sizes.data());
  if (size < 0) fail(Errc::kNoMemory, "hiredis has no memory");
  const std::unique_ptr<char, void (*)(char*)> owner(text, redisFreeCommand);
  unsent_.append(text, static_cast<size_t>(size));
  ++owed_;
}

RedisReply RedisConnection::reply(std::string_view allowed) {
  if (!link_) fail_with("the connection is closed");
  send();
  try {
    for (;; receive()) {
      std::optional<RedisReply> reply = link_->reader.next();
      if (!reply) continue;
      received_ = 0;
      --owed_;
      if (reply->kind == RedisReply::Kind::kError && (allowed.empty() || !reply->is_error(allowed)))
        fail_with(printable(reply->text()));
      return std::move(*reply);
    }
  } catch (...) {  // replies to come would be those of other commands
    close();
    throw;
  }
}

void RedisConnection::send() {
  for (std::string_view rest = unsent_; !rest.empty();) {
    size_t sent = 0;
    const CURLcode code = curl_easy_send(link_->curl.get(), rest.data(), rest.size(), &sent);
    if (code == CURLE_AGAIN)
      wait(/*to_write=*/true);
    else if (code != CURLE_OK)
      fail_with(curl_easy_strerror(code));
    rest.remove_prefix(sent);
  }
  unsent_.clear();
}

void RedisConnection::receive() {
  static thread_local std::vector<std::byte> piece(kPiece);
  size_t got = 0;
  CURLcode code = CURLE_AGAIN;
  while ((code = curl_easy_recv(link_->curl.get(), piece.data(), piece.size(), &got)) == CURLE_AGAIN)
    wait(/*to_write=*/false);
  if (code != CURLE_OK) fail_with(curl_easy_strerror(code));
  if (got == 0) fail_with("it closed the connection");
  received_ += got;
  if (received_ > kMostReply) fail_with("a reply without an end");
  link_->reader.feed(std::span(piece).first(got));
}

void RedisConnection::wait(bool to_write) {
  curl_socket_t socket = CURL_SOCKET_BAD;
  curl_easy_getinfo(link_->curl.get(), CURLINFO_ACTIVESOCKET, &socket);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until_ - Clock::now()).count();
  if (socket == CURL_SOCKET_BAD) fail_with("it closed the connection");
  pollfd at{.fd = socket, .events = static_cast<short>(to_write ? POLLOUT : POLLIN), .revents = 0};
  if (left <= 0 || ::poll(&at, 1, static_cast<int>(left)) == 0)
    fail_with(fmt::format("no reply within {} ms", times_.operation.count()));
}

void RedisConnection::fail_with(const std::string& why) {
  close();
  throw StoreDown(Errc::kDevice, why);
}

}  // namespace skald
