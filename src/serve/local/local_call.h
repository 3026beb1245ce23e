// LocalCall: a request of this process whose answer comes piece by piece.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "serve/http.h"
#include "serve/local/local_service.h"

namespace skald::serve {

class LocalAnswer;

/// One thread at a time reads it. A call that is dropped before the answer's end is cancelled.
class LocalCall {
 public:
  /// Sends the request. `service` must outlive the call.
  LocalCall(LocalService& service, HttpRequest request);
  ~LocalCall();
  LocalCall(const LocalCall&) = delete;
  LocalCall& operator=(const LocalCall&) = delete;

  /// Waits for the answer's head or its next piece. False: neither came within `patience`.
  bool wait(std::chrono::milliseconds patience);
  /// Returns whether a read would not wait, and a descriptor of a file that can be read as long as that is so.
  bool is_ready() const;
  int descriptor() const;

  /// Status and headers, once the answer has begun; its body is not there.
  std::optional<HttpAnswer> head() const;
  /// Takes the bytes that have come; none where there are none yet.
  std::string take();
  /// Returns whether all bytes have come and were taken.
  bool over() const;
  /// The answer is no longer wanted.
  void leave();

 private:
  std::shared_ptr<LocalAnswer> answer_;
};

}  // namespace skald::serve
