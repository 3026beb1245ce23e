#include "hub/http.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/lowercase.h"
#include "hub/curl_handle.h"
#include "hub/http_status.h"
#include "hub/url.h"

namespace skald {
namespace {

constexpr int kMostRedirects = 5;
constexpr size_t kMostHeaders = size_t{256} << 10;  // bytes of an answer's headers
constexpr int64_t kLongestError = 1 << 20;          // bytes of an answer that the client drops

std::string trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t\r\n");
  return begin == std::string_view::npos || end == std::string_view::npos ? ""
                                                                          : std::string(text.substr(begin, end - begin + 1));
}

bool is_redirect(long status) { return status == 301 || status == 302 || status == 303 || status == 307 || status == 308; }

// Whether asking again may help: not where the other side proves to be another server, or the disk is full.
bool is_lasting(CURLcode code) {
  constexpr CURLcode kLasting[] = {CURLE_PEER_FAILED_VERIFICATION, CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT,
                                   CURLE_SSL_CACERT_BADFILE,       CURLE_SSL_CERTPROBLEM,      CURLE_OUT_OF_MEMORY,
                                   CURLE_SSL_ENGINE_NOTFOUND,      CURLE_NOT_BUILT_IN};
  return std::ranges::find(kLasting, code) != std::end(kLasting);
}

// Empty: all bytes.
std::string range_text(const HttpRequest& request) {
  if (!request.from) return {};
  return fmt::format("{}-{}", *request.from, request.to ? fmt::to_string(*request.to) : "");
}

struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

}  // namespace

// One handle for all requests, so that connections are used again; with the running request's data for its callbacks.
class HttpClient::Transfer {
 public:
  Transfer(std::function<void()> check, HttpTimeouts timeouts) : check_(std::move(check)) {
    set(CURLOPT_ERRORBUFFER, error_);
    set(CURLOPT_USERAGENT, "skald");
    set(CURLOPT_FOLLOWLOCATION, 0L);  // each redirect is checked here
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_CONNECTTIMEOUT, timeouts.connect);
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, timeouts.stalled);
    set(CURLOPT_HEADERFUNCTION, on_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, on_bytes);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, on_progress);
    set(CURLOPT_XFERINFODATA, this);
  }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  std::function<void(const HttpAnswer&)> on_answer;
  std::function<void(std::span<const std::byte>)> sink;

  /// One request, without its redirects.
  HttpAnswer run(const HttpRequest& request) {
    every_status_ = false;
    begin(request.url);
    Headers headers;
    if (!request.token.empty()) add_header(headers, "Authorization: Bearer " + request.token);
    set(CURLOPT_HTTPGET, 1L);
    set(CURLOPT_CUSTOMREQUEST, nullptr);
    const std::string range = range_text(request);
    set(CURLOPT_RANGE, range.empty() ? nullptr : range.c_str());
    return perform(headers);
  }

  HttpAnswer run(const HttpCall& call) {
    every_status_ = true;
    begin(call.url);
    Headers headers;
    add_header(headers, "Expect:");  // a body goes at once
    for (const std::string& header : call.headers) add_header(headers, header);
    set(CURLOPT_RANGE, nullptr);
    set(CURLOPT_HTTPGET, 1L);
    if (call.method == "POST") {
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(call.body.size()));
      set(CURLOPT_POSTFIELDS, call.body.c_str());
    }
    set(CURLOPT_CUSTOMREQUEST, call.method.c_str());
    return perform(headers);
  }

 private:
  using Headers = std::unique_ptr<curl_slist, FreeList>;

  template <class T>
  void set(CURLoption option, T value) {
    set_curl(curl_.get(), option, value);
  }

  static void add_header(Headers& headers, const std::string& line) {
    curl_slist* const longer = curl_slist_append(headers.get(), line.c_str());
    if (!longer) fail(Errc::kNoMemory, "libcurl has no memory");
    static_cast<void>(headers.release());
    headers.reset(longer);
  }

  void begin(const std::string& url) {
    answer_ = {.status = 0, .headers = {}, .url = url};
    header_bytes_ = 0;
    discarded_ = 0;
    announced_ = false;
    thrown_ = nullptr;
    error_[0] = '\0';
    set(CURLOPT_URL, url.c_str());
    // A request to this machine must not pass another one.
    set(CURLOPT_NOPROXY, url.starts_with("http:") ? "*" : nullptr);
  }

  HttpAnswer perform(const Headers& headers) {
    set(CURLOPT_HTTPHEADER, headers.get());
    const CURLcode code = curl_easy_perform(curl_.get());
    curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &answer_.status);
    if (thrown_) std::rethrow_exception(thrown_);
    if (code == CURLE_WRITE_ERROR && discarded_ > kLongestError) return answer_;  // of an error: its status is enough
    if (code != CURLE_OK) fail_by(code);
    announce();  // an answer without bytes
    if (thrown_) std::rethrow_exception(thrown_);
    return answer_;
  }

  [[noreturn]] void fail_by(CURLcode code) const {
    const std::string why = error_[0] ? error_ : curl_easy_strerror(code);
    const std::string message = fmt::format("{}: {}", origin_of(answer_.url), why);
    if (is_lasting(code)) fail(Errc::kDevice, "{}", message);
    const bool unreachable = code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST;
    throw HttpFailure(message, {}, unreachable);
  }

  // Runs a callback, which must not throw through libcurl: that is C.
  template <class F>
  bool guarded(F&& f) {
    try {
      f();
    } catch (...) {
      thrown_ = std::current_exception();
    }
    return !thrown_;
  }

  /// Whether the caller gets the answer's bytes.
  bool is_wanted() const { return every_status_ || answer_.status / 100 == 2; }

  void announce() {
    if (announced_ || !is_wanted()) return;
    announced_ = true;
    guarded([&] {
      if (on_answer) on_answer(answer_);
    });
  }

  void take_header(std::string_view line) {
    header_bytes_ += line.size();
    if (header_bytes_ > kMostHeaders)
      fail(Errc::kBadFile, "{}: an answer with more than {} KiB of headers", origin_of(answer_.url), kMostHeaders >> 10);
    if (line.starts_with("HTTP/")) {  // 100 Continue may have come before, or a proxy's answer
      answer_.headers.clear();
      return;
    }
    const size_t colon = line.find(':');
    if (colon != std::string_view::npos) answer_.headers[lowercase(line.substr(0, colon))] = trimmed(line.substr(colon + 1));
  }

  void take_bytes(std::span<const std::byte> bytes) {
    if (sink) sink(bytes);
  }

  static size_t on_header(const char* data, size_t size, size_t count, void* self) {
    auto& t = *static_cast<Transfer*>(self);
    return t.guarded([&] { t.take_header({data, size * count}); }) ? size * count : 0;
  }

  static size_t on_bytes(const char* data, size_t size, size_t count, void* self) {
    auto& t = *static_cast<Transfer*>(self);
    const size_t n = size * count;
    curl_easy_getinfo(t.curl_.get(), CURLINFO_RESPONSE_CODE, &t.answer_.status);
    if (!t.is_wanted()) {
      t.discarded_ += static_cast<int64_t>(n);
      return t.discarded_ > kLongestError ? 0 : n;
    }
    t.announce();
    if (t.thrown_) return 0;
    return t.guarded([&] { t.take_bytes(std::as_bytes(std::span(data, n))); }) ? n : 0;
  }

  void check() const {
    if (check_) check_();
  }

  static int on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    auto& t = *static_cast<Transfer*>(self);
    return t.guarded([&] { t.check(); }) ? 0 : 1;
  }

  std::function<void()> check_;
  CurlHandle curl_ = new_curl();
  char error_[CURL_ERROR_SIZE] = {};
  HttpAnswer answer_;
  size_t header_bytes_ = 0;
  int64_t discarded_ = 0;
  bool announced_ = false, every_status_ = false;
  std::exception_ptr thrown_;
};

HttpClient::HttpClient(std::function<void()> check, HttpTimeouts timeouts)
    : transfer_(std::make_unique<Transfer>(std::move(check), timeouts)) {}
HttpClient::~HttpClient() = default;

HttpAnswer HttpClient::get(const HttpRequest& request, const std::function<void(const HttpAnswer&)>& on_answer,
                           const std::function<void(std::span<const std::byte>)>& sink) {
  check_url(request.url);
  transfer_->on_answer = on_answer;
  transfer_->sink = sink;
  HttpRequest at = request;
  for (int redirects = 0;; ++redirects) {
    HttpAnswer answer = transfer_->run(at);
    if (!is_redirect(answer.status)) {
      check_status(answer, !request.token.empty());
      return answer;
    }
    if (redirects == kMostRedirects)
      fail(Errc::kBadFile, "{}: more than {} redirects", origin_of(request.url), kMostRedirects);
    at.url = follow(at.url, answer.header("location"));
    at.token.clear();
  }
}

void HttpClient::call(const HttpCall& call, const std::function<void(const HttpAnswer&)>& on_answer,
                      const std::function<void(std::span<const std::byte>)>& sink) {
  check_web_url(call.url);
  transfer_->on_answer = on_answer;
  transfer_->sink = sink;
  transfer_->run(call);
}

HttpAnswer HttpClient::get_text(const HttpRequest& request, int64_t most, std::string& text) {
  text.clear();
  return get(request, {}, [&](std::span<const std::byte> bytes) {
    if (static_cast<int64_t>(text.size() + bytes.size()) > most)
      fail(Errc::kBadFile, "{}: its answer is longer than {} MiB", origin_of(request.url), most >> 20);
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
}

}  // namespace skald
