#include "serve/request_context.h"

#include <utility>

#include "base/guarded.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

constexpr int kClientLeft = 499;  // as nginx counts them

double ms(double seconds) { return seconds * 1000; }

// Of names that clients made up: other characters than those of usual names are "?".
std::string header_list(const std::vector<std::string>& names) {
  constexpr std::string_view kUsual = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.[]";
  std::string out;
  for (const std::string& name : names) {
    if (!out.empty()) out += ", ";
    for (const char c : name) out += kUsual.find(c) == std::string_view::npos ? '?' : c;
  }
  return out;
}

}  // namespace

RequestContext::RequestContext(Service& service, std::shared_ptr<Exchange> exchange, std::string_view route)
    : service_(service), exchange_(std::move(exchange)), route_(route) {
  ++service_.calls();
}

RequestContext::~RequestContext() {
  over();
  --service_.calls();
}

const Json& RequestContext::body() {
  if (!std::exchange(read_, true)) body_ = read_body(exchange_->take_body());
  return body_;
}

void RequestContext::forget_body(int64_t bytes) {
  body_ = nullptr;
  if (!exchange_->hold(bytes)) throw ApiError(503, "too many bytes of requests wait to be read");
}

void RequestContext::note_unread(const Fields& fields) {
  constexpr size_t kMost = 16, kLongest = 64;  // of names in the log, which are the client's
  for (const std::string& name : fields.unread())
    if (note.ignored.size() < kMost) note.ignored.push_back(name.substr(0, kLongest));
}

double RequestContext::seconds() const {
  return std::chrono::duration<double>(HttpClock::now() - request().arrived).count();
}

void RequestContext::add_headers(HttpAnswer& answer) const {
  if (!note.ignored.empty()) answer.headers.emplace_back("x-ignored-fields", header_list(note.ignored));
  const std::string_view origin = request().header("origin");
  for (const std::string& allowed : service_.options().cors)
    if (origin == allowed) {
      answer.headers.emplace_back("access-control-allow-origin", allowed);
      answer.headers.emplace_back("access-control-expose-headers", "retry-after, x-request-id, x-should-retry");
      answer.headers.emplace_back("vary", "Origin");
    }
}

void RequestContext::send(HttpAnswer answer) {
  status_ = answer.status;
  add_headers(answer);
  over();
  exchange_->send(std::move(answer));
}

void RequestContext::refuse(const ApiError& error) { send(error_answer(error, dialect_of(request().path), request().id)); }

void RequestContext::give_up(const std::exception& why) noexcept {
  guarded("serve: an answer", [&] { refuse(as_api_error(why)); });
}

void RequestContext::begin(HttpAnswer head, HttpPing ping) {
  const int status = head.status;
  add_headers(head);
  exchange_->begin(std::move(head), std::move(ping));
  status_ = status;
}

void RequestContext::end(bool close) {
  over();
  exchange_->end(close);
}

void RequestContext::abandon() {
  if (!status_) status_ = kClientLeft;
  over();
}

void RequestContext::refuse_gone() {
  service_.metrics().count_cancelled();
  note.finish_reason = "cancelled";
  throw ApiError(kClientLeft, "the client has left");
}

// Counted before the client has the answer: the next client sees it.
void RequestContext::over() noexcept {
  if (!over_.exchange(true)) guarded("serve: the log of a request", [this] { tell(); });
}

void RequestContext::tell() const {
  service_.metrics().count_request(route_, status_);
  Json line = {{"id", request().id},
               {"method", request().method},
               {"path", request().path},
               {"status", status_},
               {"total_ms", ms(seconds())}};
  if (!note.model.empty()) {
    line["model"] = note.model;
    line["prompt_tokens"] = note.prompt_tokens;
    line["cached_tokens"] = note.cached_tokens;
    line["completion_tokens"] = note.completion_tokens;
    line["queue_ms"] = ms(note.queue_seconds);
    line["ttft_ms"] = ms(note.first_token_seconds);
    line["finish_reason"] = note.finish_reason;
    service_.metrics().add(Metrics::Time::kRequest, seconds());
  }
  if (!note.ignored.empty()) line["ignored"] = note.ignored;
  if (note.volatile_bytes) line["volatile_bytes"] = note.volatile_bytes;
  if (!note.prompt.empty()) line["prompt"] = note.prompt;
  if (!note.answer.empty()) line["answer"] = note.answer;
  constexpr int kLoading = 503;
  if (polled && (status_ < 400 || status_ == kLoading))
    service_.log().detail("request", line);
  else
    service_.log().line(LogLevel::kInfo, "request", line);
}

}  // namespace skald::serve
