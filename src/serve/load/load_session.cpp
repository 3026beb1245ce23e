#include "serve/load/load_session.h"

#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "base/digest.h"

namespace skald::serve {

constexpr std::chrono::milliseconds kAskEvery{100};

static std::string sum_of_beginning(std::string_view body, int64_t bytes) {
  constexpr size_t kPrefixBytes = 8;
  const Sha256Sum sum = sha256({std::as_bytes(std::span(body.substr(0, static_cast<size_t>(bytes))))});
  return hexadecimal(std::span(sum).first(kPrefixBytes));
}

void LoadSession::measure(const std::string& body, std::function<void(LoadSample)> done) {
  const auto stream = std::make_shared<LoadStream>(HttpClock::now());
  client_.ask({.path = o_.prompts.path(),
               .body = body,
               .prefix = o_.prefix_bytes > 0 ? sum_of_beginning(body, o_.prefix_bytes) : "",
               .on_bytes = [stream](const ResponseReader& answer, std::string_view bytes) { stream->read(answer, bytes); },
               .on_end = [stream, done = std::move(done)](
                             int status, const std::string& error) { done(stream->finish(status, error)); }});
}

bool LoadSession::run(std::function<void()> begin, std::function<void()> tick) {
  loop_.post(std::move(begin));
  loop_.post([this, tick = std::move(tick)] { look(tick); });
  loop_.run();
  return !stopped_;
}

void LoadSession::look(const std::function<void()>& tick) {
  if (tick) tick();
  if (o_.stop && o_.stop()) {
    stopped_ = true;
    return loop_.stop();
  }
  loop_.after(kAskEvery, [this, tick] { look(tick); });
}

}  // namespace skald::serve
