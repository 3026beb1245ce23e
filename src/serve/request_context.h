// RequestContext: a request on its way through the server. It counts and logs itself when it is over.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "serve/api_error.h"
#include "serve/fields/fields.h"
#include "serve/http.h"

namespace skald::serve {

class Service;

/// What the log says of a request that wrote something.
struct RequestNote {
  std::string model = {};
  int64_t prompt_tokens = 0, cached_tokens = 0, completion_tokens = 0;
  double queue_seconds = 0, first_token_seconds = 0;
  std::string finish_reason = {};
  int64_t volatile_bytes = 0;             // of the system text, that were left out of the prompt
  std::vector<std::string> ignored = {};  // fields that nobody knows
  std::string prompt = {}, answer = {};   // where prompts are logged
};

class RequestContext {
 public:
  /// `route`: the pattern that the path fits, or "other".
  RequestContext(Service& service, std::shared_ptr<Exchange> exchange, std::string_view route);
  ~RequestContext();
  RequestContext(const RequestContext&) = delete;
  RequestContext& operator=(const RequestContext&) = delete;

  Service& service() const { return service_; }
  const HttpRequest& request() const { return exchange_->request(); }
  bool polled = false;  // of a route that is asked again and again
  /// What "{}" of the route's pattern stands for.
  std::string part = {};
  /// Who asks: what may share a prefix and has a turn of its own. Of the API key; empty without keys.
  std::string owner = {};
  /// What takes turns with others: its key's owner, or its address.
  const std::string& client() const { return request().client; }
  /// Written on the network's thread, or before the answer begins.
  RequestNote note = {};

  /// The body as JSON, to be read once.
  const Json& body();
  /// The body is not needed any more; `bytes` of what it said are. Throws ApiError (503) where there is no room.
  void forget_body(int64_t bytes = 0);
  /// The query's or the body's, as above: `read()` fields and note those that nobody reads, when all were.
  void note_unread(const Fields& fields);

  void send(HttpAnswer answer);
  void send(const Json& json) { send(json_answer(json)); }
  void refuse(const ApiError& error);
  /// Answers with what the exception says, as far as that goes: else the exchange is answered as one that was dropped.
  void give_up(const std::exception& why) noexcept;

  void begin(HttpAnswer head, HttpPing ping = {});
  /// Whether an answer has.
  bool begun() const { return status_ != 0; }
  void write(std::string piece) { exchange_->write(std::move(piece)); }
  void end(bool close = false);

  /// The client has left: nobody wants an answer.
  void abandon();
  /// Whether it has, from any thread.
  bool gone() const { return exchange_->gone(); }
  /// Counts a request whose client has left before it was answered, and throws ApiError.
  [[noreturn]] void refuse_gone();

  Exchange& exchange() { return *exchange_; }
  double seconds() const;

 private:
  void add_headers(HttpAnswer& answer) const;
  void over() noexcept;
  void tell() const;

  Service& service_;
  std::shared_ptr<Exchange> exchange_;
  std::string route_;
  Json body_;
  bool read_ = false;
  int status_ = 0;
  std::atomic<bool> over_ = false;
};

}  // namespace skald::serve
