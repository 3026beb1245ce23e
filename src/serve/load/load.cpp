#include "serve/load/load.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/error.h"
#include "serve/load/load_row_run.h"
#include "serve/load/load_session.h"

namespace skald::serve {
namespace {

// One request by itself; nothing when it was stopped.
std::optional<LoadSample> measure_one(const LoadOptions& o, const std::string& body) {
  LoadSession session(o);
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
  LoadSession session(o);
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
    LoadRowRun run(o_, std::move(row), next_);
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
