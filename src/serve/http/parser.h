// Bytes into a request, or into the reason why they are none. parser.cpp is the only user of Beast.
#pragma once

#include <memory>
#include <string>

#include "serve/http.h"
#include "serve/http/byte_queue.h"
#include "serve/http/head_scan.h"

namespace skald::serve {

/// Reads one request.
class RequestReader {
 public:
  enum class State { kMore, kDone, kRefused };

  explicit RequestReader(const HttpOptions& options);
  ~RequestReader();

  /// Takes from the front of `in` the bytes of the request. After kRefused nothing that follows can be read.
  State read(ByteQueue& in);

  /// Once: whether the client waits for "100 Continue" before it sends the body.
  bool take_expectation();
  /// Returns the request as far as it is known; all of it after kDone. Without id and peer.
  HttpRequest& request() { return request_; }
  /// Tells whether the head is there, and the body's length, if it was told, or the bytes of it that came.
  bool has_head() const { return parser_ != nullptr; }
  int64_t body_bytes() const;
  bool keeps_alive() const { return keeps_alive_; }
  bool is_http10() const { return http10_; }
  /// After kRefused; without id and peer.
  HttpRefusal refusal() const;

 private:
  State refuse(int status, std::string message);
  State read_head(ByteQueue& in);
  State parse_head(std::string_view head);
  State check_fields();
  State check_body_fields();
  State read_body(ByteQueue& in);

  struct Parser;
  int64_t max_body_, max_line_;
  HeadScan scan_;
  std::unique_ptr<Parser> parser_;  // from the head's end on
  HttpRequest request_ = {};
  bool keeps_alive_ = false, http10_ = false, expects_ = false;
  int status_ = 0;
  std::string message_ = {};
};

}  // namespace skald::serve
