// S3Client: signed requests to a bucket, several at the same time, by libcurl.
#pragma once

#include <curl/curl.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stores/remote_table.h"
#include "stores/s3/s3_keys.h"
#include "stores/s3/s3_url.h"

namespace skald {

struct S3Request {
  enum class Method : uint8_t { kHead, kGet, kPut, kDelete };
  Method method = Method::kGet;
  std::string name = {};
  std::span<const std::byte> first = {}, second = {};  // of kPut: its body
};

struct S3Answer {
  long status = 0;
  std::vector<std::byte> body = {};
};

class S3Client {
 public:
  S3Client(S3Address address, S3Keys keys, RemoteTimes times);
  ~S3Client();
  S3Client(const S3Client&) = delete;
  S3Client& operator=(const S3Client&) = delete;

  const S3Address& address() const { return address_; }
  /// Answers of any status, in the order of the requests. Throws StoreDown where one does not come in time or is too long.
  std::vector<S3Answer> run(std::span<const S3Request> requests);

  /// Requests at the same time.
  static constexpr long kMostAtOnce = 16;

 private:
  class Transfer;
  struct FreeMulti {
    void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
  };
  void perform(std::span<const std::unique_ptr<Transfer>> transfers);

  const S3Address address_;
  const S3Keys keys_;
  const RemoteTimes times_;
  std::unique_ptr<CURLM, FreeMulti> multi_;  // it keeps connections
};

}  // namespace skald
