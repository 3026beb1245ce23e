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

/// The log's record of a request that wrote something.
struct RequestNote {
  std::string model = {};
  int64_t prompt_tokens = 0, cached_tokens = 0, completion_tokens = 0;
  double queue_seconds = 0, first_token_seconds = 0;
  std::string finish_reason = {};
  int64_t volatile_bytes = 0;             // of the system text, that were left out of the prompt
  std::vector<std::string> ignored = {};  // fields that no code read
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
  /// The text for "{}" of the route's pattern.
  std::string part = {};
  /// The client's namespace: requests of one may share a prefix. Of the API key; empty without keys.
  std::string owner = {};
  /// Returns the client for the turns: its key's owner, or its address.
  const std::string& client() const { return request().client; }
  /// Written on the network's thread, or before the answer begins.
  RequestNote note = {};

  /// Returns the body as JSON, to be read once.
  const Json& body();
  /// Likewise of a body that is a list.
  Json list() { return read_list(exchange_->take_body()); }
  /// Gives the body's memory up, but for `bytes` that are still held of its content. Throws ApiError (503) where there is no
  /// room.
  void forget_body(int64_t bytes = 0);
  /// For the query's or the body's fields: notes those that were not read, when all reading is done.
  void note_unread(const Fields& fields);

  void send(HttpAnswer answer);
  void send(const Json& json) { send(json_answer(json)); }
  void refuse(const ApiError& error);
  /// Answers with the exception's message, if that can be sent: else the exchange is answered as one that was dropped.
  void give_up(const std::exception& why) noexcept;

  void begin(HttpAnswer head, HttpPing ping = {});
  /// Returns whether an answer has.
  bool begun() const { return status_ != 0; }
  void write(std::string piece) { exchange_->write(std::move(piece)); }
  void end(bool close = false);

  /// The client has left: no answer is wanted.
  void abandon();
  /// Returns whether it has, from any thread.
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
