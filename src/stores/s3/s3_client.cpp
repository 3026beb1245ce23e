#include "stores/s3/s3_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/digest.h"
#include "base/error.h"
#include "hub/curl_handle.h"
#include "kv/disk/record_store.h"

namespace skald {
namespace {

constexpr size_t kMostBody = size_t{1} << 30;

struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Headers = std::unique_ptr<curl_slist, FreeList>;

void add(Headers& headers, const std::string& line) {
  curl_slist* const longer = curl_slist_append(headers.get(), line.c_str());
  if (!longer) fail(Errc::kNoMemory, "libcurl has no memory");
  static_cast<void>(headers.release());
  headers.reset(longer);
}

}  // namespace

// One request on its way.
class S3Client::Transfer {
 public:
  Transfer(const S3Client& client, const S3Request& request) : request_(request), curl_(new_curl()) {
    const std::string url = client.address_.base + request.name;
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(client.times_.connect.count()));
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(client.times_.operation.count()));
    if (url.starts_with("http:")) set(CURLOPT_NOPROXY, "*");  // as for all requests without TLS
    set(CURLOPT_ERRORBUFFER, why_.data());
    set(CURLOPT_WRITEFUNCTION, take_bytes);
    set(CURLOPT_WRITEDATA, this);
    choose_method();
    sign(client.address_, client.keys_);
    set(CURLOPT_HTTPHEADER, headers_.get());
  }

  CURL* curl() const { return curl_.get(); }
  S3Answer take_answer() { return std::move(answer_); }
  void end(CURLcode code) {
    if (code != CURLE_OK) throw StoreDown(Errc::kDevice, why_[0] ? why_.data() : curl_easy_strerror(code));
    curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &answer_.status);
  }

 private:
  template <class T>
  void set(CURLoption option, T value) {
    set_curl(curl_.get(), option, value);
  }

  void choose_method() {
    if (request_.method == S3Request::Method::kHead) set(CURLOPT_NOBODY, 1L);
    if (request_.method == S3Request::Method::kDelete) set(CURLOPT_CUSTOMREQUEST, "DELETE");
    if (request_.method != S3Request::Method::kPut) return;
    set(CURLOPT_UPLOAD, 1L);
    set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(request_.first.size() + request_.second.size()));
    set(CURLOPT_READFUNCTION, give_bytes);
    set(CURLOPT_READDATA, this);
    set(CURLOPT_EXPECT_100_TIMEOUT_MS, 1L);  // a body goes at once; libcurl would sign a header that takes Expect away
  }

  // libcurl does not know the sum of a body that it has not read yet.
  void sign(const S3Address& address, const S3Keys& keys) {
    set(CURLOPT_AWS_SIGV4, fmt::format("aws:amz:{}:s3", address.region).c_str());
    set(CURLOPT_USERNAME, keys.id.c_str());
    set(CURLOPT_PASSWORD, keys.secret.c_str());
    add(headers_, "x-amz-content-sha256: " + hexadecimal(sha256({request_.first, request_.second})));
    if (!keys.token.empty()) add(headers_, "x-amz-security-token: " + keys.token);
  }

  static size_t take_bytes(const char* data, size_t size, size_t count, void* self) noexcept {
    auto& body = static_cast<Transfer*>(self)->answer_.body;
    const size_t n = size * count;
    if (body.size() + n > kMostBody) return 0;
    try {
      const auto* const bytes = reinterpret_cast<const std::byte*>(data);
      body.insert(body.end(), bytes, bytes + n);
    } catch (...) {  // no memory: libcurl is C
      return 0;
    }
    return n;
  }

  static size_t give_bytes(char* to, size_t size, size_t count, void* self) noexcept {
    auto& t = *static_cast<Transfer*>(self);
    const size_t begin = t.sent_ < t.request_.first.size() ? 0 : t.request_.first.size();
    const std::span<const std::byte> piece = begin ? t.request_.second : t.request_.first;
    const size_t n = std::min(size * count, piece.size() - (t.sent_ - begin));
    std::memcpy(to, piece.data() + (t.sent_ - begin), n);
    t.sent_ += n;
    return n;
  }

  const S3Request request_;
  CurlHandle curl_;
  Headers headers_;
  std::array<char, CURL_ERROR_SIZE> why_{};
  S3Answer answer_;
  size_t sent_ = 0;
};

S3Client::S3Client(S3Address address, S3Keys keys, RemoteTimes times)
    : address_(std::move(address)), keys_(std::move(keys)), times_(times), multi_(curl_multi_init()) {
  if (!multi_) fail(Errc::kNoMemory, "libcurl has no memory");
  curl_multi_setopt(multi_.get(), CURLMOPT_MAX_TOTAL_CONNECTIONS, kMostAtOnce);
}

S3Client::~S3Client() = default;

std::vector<S3Answer> S3Client::run(std::span<const S3Request> requests) {
  std::vector<std::unique_ptr<Transfer>> transfers;
  for (const S3Request& request : requests) transfers.push_back(std::make_unique<Transfer>(*this, request));
  for (const auto& transfer : transfers) curl_multi_add_handle(multi_.get(), transfer->curl());
  const auto remove = [&] {
    for (const auto& transfer : transfers) curl_multi_remove_handle(multi_.get(), transfer->curl());
  };
  try {
    perform(transfers);
  } catch (...) {
    remove();
    throw;
  }
  remove();
  std::vector<S3Answer> out;
  out.reserve(transfers.size());
  for (const auto& transfer : transfers) out.push_back(transfer->take_answer());
  return out;
}

void S3Client::perform(std::span<const std::unique_ptr<Transfer>> transfers) {
  constexpr int kWait = 100;  // ms
  for (int running = 1; running > 0;) {
    if (curl_multi_perform(multi_.get(), &running) != CURLM_OK) throw StoreDown(Errc::kDevice, "libcurl fails");
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
      const auto of = std::ranges::find(transfers, message->easy_handle, [](const auto& t) { return t->curl(); });
      if (of != transfers.end()) (*of)->end(message->data.result);
    }
    if (running > 0) curl_multi_poll(multi_.get(), nullptr, 0, kWait, nullptr);
  }
}

}  // namespace skald
