#include "serve/load/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/error.h"
#include "serve/load/arrivals.h"

namespace skald::serve {
namespace {

constexpr std::chrono::milliseconds kAskEvery{100};
constexpr int64_t kRequestsPerClient = 8, kRequestsByRate = 100;

double seconds_since(HttpClock::time_point then) { return std::chrono::duration<double>(HttpClock::now() - then).count(); }

std::chrono::milliseconds milliseconds_up(double seconds) {
  return std::chrono::milliseconds(std::llround(std::ceil(seconds * 1000)));
}

// The loop's thread runs `begin` and then until somebody stops it, or `stop` says so: false then.
class Session {
 public:
  Session(const LoadOptions& o) : o_(o), client_(loop_, o.client) {}

  Loop& loop() { return loop_; }
  /// `done` hears what came of a request.
  void measure(const std::string& body, std::function<void(LoadSample)> done) {
    const auto stream = std::make_shared<LoadStream>(HttpClock::now());
    client_.ask({.path = o_.prompts.path(),
                 .body = body,
                 .on_bytes = [stream](const ResponseReader& answer, std::string_view bytes) { stream->read(answer, bytes); },
                 .on_end = [stream, done = std::move(done)](
                               int status, const std::string& error) { done(stream->finish(status, error)); }});
  }
  LoadClient& client() { return client_; }

  bool run(std::function<void()> begin, std::function<void()> tick = {}) {
    loop_.post(std::move(begin));
    loop_.post([this, tick = std::move(tick)] { look(tick); });
    loop_.run();
    return !stopped_;
  }

 private:
  void look(const std::function<void()>& tick) {
    if (tick) tick();
    if (o_.stop && o_.stop()) {
      stopped_ = true;
      return loop_.stop();
    }
    loop_.after(kAskEvery, [this, tick] { look(tick); });
  }

  const LoadOptions& o_;
  Loop loop_;
  LoadClient client_;
  bool stopped_ = false;
};

// One request by itself; nothing when it was stopped.
std::optional<LoadSample> measure_one(const LoadOptions& o, const std::string& body) {
  Session session(o);
  std::optional<LoadSample> out;
  session.run([&] {
    session.measure(body, [&](LoadSample sample) {
      out = std::move(sample);
      session.loop().stop();
    });
  });
  return out;
}

// The first model of the server's list; nothing when it was stopped.
std::optional<std::string> first_model(const LoadOptions& o) {
  constexpr size_t kMost = size_t{4} << 20;
  Session session(o);
  std::string body, wrong;
  int status = 0;
  const bool done = session.run([&] {
    session.client().ask({.method = "GET",
                          .path = "/models",
                          .on_bytes =
                              [&](const ResponseReader&, std::string_view bytes) {
                                body += bytes;
                                if (body.size() > kMost) fail(Errc::kBadFile, "a list of more than {} MiB", kMost >> 20);
                              },
                          .on_end =
                              [&](int code, const std::string& error) {
                                status = code;
                                wrong = error;
                                session.loop().stop();
                              }});
  });
  if (!done) return {};
  const std::string at = o.client.target.url + ": " + o.client.target.base + "/models: ";
  if (!wrong.empty()) fail(Errc::kDevice, "{}{}", at, wrong);
  if (status != 200) fail(Errc::kDevice, "{}status {}", at, status);
  const nlohmann::json json = nlohmann::json::parse(body, nullptr, false);
  const nlohmann::json::json_pointer id("/data/0/id");
  if (!json.is_object() || !json.contains(id) || !json[id].is_string())
    fail(Errc::kDevice, "{}no list of models; see --model", at);
  return json[id].get<std::string>();
}

// A row on its way.
class RowRun {
 public:
  RowRun(const LoadOptions& o, LoadRow row, int64_t first)
      : o_(o),
        row_(std::move(row)),
        next_(first),
        session_(o),
        arrivals_(row_.open ? row_.load : 1, o.burstiness, o.prompts.seed) {
    total_ = o.requests;
    if (!total_ && o.duration <= 0)
      total_ = row_.open ? kRequestsByRate : kRequestsPerClient * static_cast<int64_t>(row_.load);
  }

  /// False when it was stopped.
  bool run() {
    begun_ = HttpClock::now();
    const bool whole = session_.run([this] { begin(); }, [this] { tell(); });
    row_.seconds = seconds_since(begun_);
    return whole;
  }
  LoadRow take() { return std::move(row_); }
  int64_t next() const { return next_; }

 private:
  void begin() {
    if (row_.open) return arrive(arrivals_.next());
    for (int64_t i = 0; i < static_cast<int64_t>(row_.load); ++i) send();
    end_if_over();
  }

  bool may_send() const { return (!total_ || sent_ < total_) && (o_.duration <= 0 || seconds_since(begun_) < o_.duration); }

  // All that are due by now, and the others at their time.
  void arrive(double at) {
    for (; may_send(); at = arrivals_.next()) {
      const double now = seconds_since(begun_), wait = at - now;
      // A row ends in time, however late the next arrival is.
      const double left = o_.duration > 0 ? o_.duration - now : wait;
      if (wait > 0) return session_.loop().after(milliseconds_up(std::min(wait, left)), [this, at] { arrive(at); });
      send();
    }
    all_sent_ = true;
    end_if_over();
  }

  void send() {
    if (!may_send()) return;
    ++sent_;
    ++running_;
    session_.measure(o_.prompts.body(next_++), [this](LoadSample sample) {
      --running_;
      row_.samples.push_back(std::move(sample));
      if (!row_.open) send();
      end_if_over();
    });
  }

  void end_if_over() {
    if (running_ == 0 && (row_.open ? all_sent_ : !may_send())) session_.loop().stop();
  }

  void tell() const {
    if (o_.on_progress) o_.on_progress(row_, std::ssize(row_.samples), total_);
  }

  const LoadOptions& o_;
  LoadRow row_;
  int64_t next_, total_ = 0, sent_ = 0, running_ = 0;
  bool all_sent_ = false;
  HttpClock::time_point begun_;
  Session session_;
  Arrivals arrivals_;
};

class Load {
 public:
  explicit Load(LoadOptions options) : o_(std::move(options)) {}

  LoadResult run() {
    result_.url = o_.client.target.url;
    result_.percentiles = o_.percentiles;
    result_.goals = o_.goals;
    result_.interrupted = !prepare() || !run_rows();
    result_.model = o_.prompts.model;
    return std::move(result_);
  }

 private:
  // False when it was stopped.
  bool prepare() {
    if (o_.prompts.model.empty()) {
      const std::optional<std::string> model = first_model(o_);
      if (!model) return false;
      o_.prompts.model = *model;
    }
    if (o_.prompts.given.empty() && !find_rate()) return false;
    for (int64_t i = 0; i < o_.warmup; ++i)
      if (!probe(o_.prompts.body(next_++))) return false;
    return true;
  }

  std::optional<LoadSample> probe(const std::string& body) {
    std::optional<LoadSample> sample = measure_one(o_, body);
    if (sample && sample->failed())
      fail(Errc::kDevice, "{}: {}{}: {}", o_.client.target.url, o_.client.target.base, o_.prompts.path(), sample->error);
    return sample;
  }

  // How many words make the prompt that was asked for; a second look, near its length, where the vocabulary is odd.
  bool find_rate() {
    constexpr int64_t kFew = 16, kMore = 144;
    const auto few = probe(o_.prompts.probe(kFew));
    if (!few) return false;
    if (few->prompt_tokens < 0) {
      result_.notes.emplace_back("The server does not say how many tokens prompts have: a word counts as one.");
      return true;
    }
    const int64_t wanted = o_.prompts.prompt_tokens;
    const auto more = wanted > kMore ? probe(o_.prompts.probe(kMore)) : probe(o_.prompts.probe(2 * kFew));
    if (!more) return false;
    o_.prompts.rate = word_rate(kFew, few->prompt_tokens, wanted > kMore ? kMore : 2 * kFew, more->prompt_tokens);
    return true;
  }

  bool run_rows() {
    for (const int64_t n : o_.clients)
      if (!run_row({.load = static_cast<double>(n)})) return false;
    for (const double rate : o_.rates)
      if (!run_row({.open = true, .load = rate})) return false;
    return true;
  }

  bool run_row(LoadRow row) {
    RowRun run(o_, std::move(row), next_);
    const bool whole = run.run();
    next_ = run.next();
    result_.rows.push_back(run.take());
    return whole;
  }

  LoadOptions o_;
  LoadResult result_;
  int64_t next_ = 0;  // requests have numbers of their own over all rows: no row finds another's prompts in a cache
};

}  // namespace

int64_t LoadResult::failed() const {
  int64_t out = 0;
  for (const LoadRow& row : rows)
    for (const LoadSample& sample : row.samples) out += sample.failed();
  return out;
}

LoadResult run_load(LoadOptions options) { return Load(std::move(options)).run(); }

}  // namespace skald::serve
