// HttpClient: requests of whose answers nothing is taken on trust, by libcurl.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace skald {

struct HttpRequest {
  std::string url;
  std::string token = {};            // goes to this URL alone, never along a redirect
  std::optional<int64_t> from = {};  // bytes from here on: a Range
  std::optional<int64_t> to = {};    // up to this one, itself too
};

/// A request of any method to a URL of http or https.
struct HttpCall {
  std::string method, url;
  std::vector<std::string> headers = {};  // "Name: value"
  std::string body = {};                  // of POST
};

/// Of the URL at the end of the redirects.
struct HttpAnswer {
  long status = 0;
  std::map<std::string, std::string> headers = {};  // names in lower case; of one that comes twice the last
  std::string url = {};

  /// Empty where there is none.
  std::string header(const std::string& name) const {
    const auto at = headers.find(name);
    return at == headers.end() ? "" : at->second;
  }
};

/// A request that failed and may succeed later: a broken connection, 408, 429, 5xx.
class HttpFailure : public std::exception {
 public:
  explicit HttpFailure(std::string message, std::optional<double> retry_after = {}, bool unreachable = false)
      : message_(std::move(message)), retry_after_(retry_after), unreachable_(unreachable) {}
  const char* what() const noexcept override { return message_.c_str(); }
  /// Returns the seconds that the server asks to wait.
  std::optional<double> retry_after() const { return retry_after_; }
  /// Returns whether there was no connection at all.
  bool unreachable() const { return unreachable_; }

 private:
  std::string message_;
  std::optional<double> retry_after_;
  bool unreachable_;
};

struct HttpTimeouts {
  long connect = 15, stalled = 30;  // seconds, until a connection is there and without a byte (0: any)
};

class HttpClient {
 public:
  /// `check` is called several times a second while a request runs, and may throw to end it.
  explicit HttpClient(std::function<void()> check = {}, HttpTimeouts timeouts = {});
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Follows up to 5 redirects. `on_answer` hears of a status of 2xx before its bytes come, and `sink` gets these; both may
  /// throw. Throws HttpFailure where a later try may succeed, else Error: kNotFound for 404 and where a token may help,
  /// kBadFile for redirects that are not followed, kDevice.
  HttpAnswer get(const HttpRequest& request, const std::function<void(const HttpAnswer&)>& on_answer,
                 const std::function<void(std::span<const std::byte>)>& sink);

  /// Makes one request, and follows no redirect. `on_answer` hears of any status, and `sink` gets its bytes. Throws
  /// HttpFailure where no whole answer comes, Error (kBadInput) for another URL than http and https, kDevice.
  void call(const HttpCall& call, const std::function<void(const HttpAnswer&)>& on_answer,
            const std::function<void(std::span<const std::byte>)>& sink);

  /// Returns a whole answer of up to `most` bytes. Throws as get() does, and kBadFile for a longer one.
  HttpAnswer get_text(const HttpRequest& request, int64_t most, std::string& text);

 private:
  class Transfer;
  std::unique_ptr<Transfer> transfer_;
};

}  // namespace skald
