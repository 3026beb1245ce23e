#include "tools/eval/evaluate.h"

#include <algorithm>

#include "backend/backend.h"
#include "base/error.h"
#include "stepping/cache_options.h"
#include "tools/eval/answer_file.h"
#include "tools/eval/examinee.h"
#include "tools/eval/fnv1a.h"
#include "tools/measure/window_logits.h"

namespace skald {
namespace {

/// A question: one row of the table.
struct Question {
  const EvalSuite* suite;
  int64_t length;
};

// The settings on which answers and their speed depend, beside a row of the table.
std::string settings(const LoadedModel& model, const EvalOptions& o) {
  const BackendInfo info = make_backend(o.compute.device)->info();
  const DeviceOptions& device = o.compute.device;
  const CacheOptions& cache = o.compute.cache;
  std::string out = fmt::format(
      "{} {} {} parameters, seed {}; {}, {}, {} and {} threads, repack {}, fused {}; keys by {}, rotate {}, {} sinks, steps "
      "of {}",
      model.name(), model.main_format(), model.n_parameters(), o.seed, info.device, info.isa, info.threads,
      info.threads_batch, device.repack, device.fused, cache.layout, cache.rotate, cache.swa_sinks,
      o.compute.schedule.step_rows());
  const std::string overrides = model.overrides().words();
  return overrides.empty() ? out : out + "; " + overrides;
}

class Evaluation {
 public:
  Evaluation(const LoadedModel& model, const EvalOptions& options)
      : model_(model),
        o_(options),
        text_(model, options.text, options.chat ? EvalText::Form::kChat : EvalText::Form::kText),
        file_(options.save, options.save.empty() ? "" : settings(model, options)) {
    if (o_.chat) chat_.emplace(model, *o_.chat);
    progress_.total =
        std::ssize(o_.caches) * std::ssize(o_.methods) * std::ssize(o_.suites) * std::ssize(o_.lengths) * o_.cases;
  }

  EvalResult run() {
    check();
    EvalResult out{.model = model_.name(), .type = model_.main_format(), .form = chat_ ? "chat" : "text", .seed = o_.seed};
    for (const EvalCache& cache : o_.caches)
      for (const std::vector<const EvalMethod*>& methods : by_cache(cache)) run(cache, methods);
    for (const EvalSuite* suite : o_.suites)
      for (const int64_t length : o_.lengths)
        for (const EvalCache& cache : o_.caches)
          for (const EvalMethod& method : o_.methods) out.rows.push_back(row({suite, length}, cache, method));
    return out;
  }

 private:
  int64_t most_tokens() const { return *std::ranges::max_element(o_.lengths) + (chat_ ? chat_->n_predict() : kMostAnswers); }

  // A length that a suite cannot have is told before hours of work.
  void check() const {
    for (const EvalSuite* suite : o_.suites)
      if (chat_ && suite->predicts) fail(Errc::kBadInput, "eval: {} asks nothing: it has no chat form", suite->name);
    warn_beyond_training(model_, most_tokens());
    for (const EvalSuite* suite : o_.suites)
      for (const int64_t length : o_.lengths) make({suite, length}, 0);
  }

  // Whether keys lie for dense decoding as for selectors, which take rows where the layout is open.
  bool lies_alike(const EvalCache& cache) const {
    if (o_.compute.cache.layout != "auto") return true;
    return key_layout(storage_of(options_for(cache, {}).cache)).order == KeyOrder::kRows;
  }

  // Methods that can share a cache, and so the reading of prompts: keys lie alike, with what one selector knows of them.
  std::vector<std::vector<const EvalMethod*>> by_cache(const EvalCache& cache) const {
    const bool alike = lies_alike(cache);
    const auto shares = [&](const EvalMethod& a, const EvalMethod& b) {
      if (a.sparq.on() != b.sparq.on()) return alike;
      return !a.sparq.on() || a.sparq.selector == b.sparq.selector;
    };
    std::vector<std::vector<const EvalMethod*>> out;
    for (const EvalMethod& method : o_.methods) {
      const auto with = std::ranges::find_if(out, [&](const auto& methods) {
        return std::ranges::all_of(methods, [&](const EvalMethod* other) { return shares(*other, method); });
      });
      if (with == out.end())
        out.push_back({&method});
      else
        with->push_back(&method);
    }
    return out;
  }

  void run(const EvalCache& cache, const std::vector<const EvalMethod*>& methods) {
    std::optional<Examinee> examinee;
    for (const int64_t length : o_.lengths)
      for (const EvalSuite* suite : o_.suites)
        for (int64_t i = 0; i < o_.cases; ++i) ask({suite, length}, i, cache, methods, examinee);
  }

  void ask(const Question& q, int64_t i, const EvalCache& cache, const std::vector<const EvalMethod*>& methods,
           std::optional<Examinee>& examinee) {
    std::optional<EvalCase> task;
    for (const EvalMethod* method : methods) {
      progress_.what = fmt::format("{}, {} tokens, {}, {}", q.suite->name, q.length, cache.name, method->name);
      if (!file_.find(key(q, i, cache, *method))) {
        if (!examinee) examinee.emplace(model_, options_for(cache, sparq_of(methods)));
        if (!task) {
          task = make(q, i);
          examinee->read(*task);
        }
        file_.add(key(q, i, cache, *method), examinee->answer(*task, *method, read_answer_));
      }
      ++progress_.done;
      if (o_.on_answer) o_.on_answer(progress_);
    }
    if (task) examinee->forget();
  }

  // A case is the same with any other questions.
  EvalCase make(const Question& q, int64_t i) const {
    uint64_t seed = o_.seed * 1000003 + static_cast<uint64_t>(q.length) * 7919 + static_cast<uint64_t>(i);
    for (const char c : q.suite->name) seed = seed * 31 + static_cast<uint64_t>(c);
    if (chat_) return chat_->make(*q.suite, text_, q.length, seed);
    Rng rng(seed);
    return q.suite->make(text_, q.length, rng);
  }

  // Of a cache that they share: keys have what the sparse ones need.
  static const SparqParams& sparq_of(const std::vector<const EvalMethod*>& methods) {
    const auto sparse = std::ranges::find_if(methods, [](const EvalMethod* method) { return method->sparq.on(); });
    return (sparse == methods.end() ? methods.front() : *sparse)->sparq;
  }

  EngineOptions options_for(const EvalCache& cache, const SparqParams& sparq) const {
    EngineOptions out = o_.compute;
    out.cache.type_k = cache.k_type;
    out.cache.type_v = cache.v_type;
    out.cache.n_ctx = most_tokens();
    out.cache.sparq = sparq;
    out.schedule.n_parallel = 2;  // a prompt, and the branch that goes on from it
    return out;
  }

  // Answers about one text are none about another, nor are those of one form those of the other.
  std::string key(const Question& q, int64_t i, const EvalCache& cache, const EvalMethod& method) const {
    const std::string of = q.suite->predicts && o_.text ? fmt::format(" of {:016x}", fnv1a(*o_.text)) : "";
    const std::string form = chat_ ? fmt::format("chat {} ", chat_->fingerprint()) : "";
    return fmt::format("{}{}{} {} {} {} {}", form, q.suite->name, of, q.length, i, cache.name, method.name);
  }

  EvalRow row(const Question& q, const EvalCache& cache, const EvalMethod& method) const {
    EvalRow out{.suite = std::string(q.suite->name), .cache = cache.name, .method = method.name, .length = q.length};
    for (int64_t i = 0; i < o_.cases; ++i) {
      const EvalAnswer& answer = *file_.find(key(q, i, cache, method));
      if (answer.prediction) {
        out.loss.add(answer.prediction->loss);
        out.divergence.add(answer.prediction->divergence);
      } else {
        out.score.add(answer.score);
      }
      out.seconds += answer.seconds;
      out.bytes += answer.bytes;
      out.tokens += answer.tokens;
    }
    return out;
  }

  const LoadedModel& model_;
  const EvalOptions& o_;
  EvalText text_;
  std::optional<ChatForm> chat_;
  Examinee::ReadAnswer read_answer_ = [this](std::span<const TokenId> said, bool truncated) {
    return chat_ ? chat_->content(said, truncated) : text_.decode(said);
  };
  AnswerFile file_;
  EvalProgress progress_;
};

double number_behind(const std::string& name, size_t colon) {
  size_t end = 0;
  double out = 0;
  const std::string text = name.substr(colon + 1);
  try {
    out = std::stod(text, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  if (end == 0 || end != text.size()) fail(Errc::kBadInput, "'{}': want a number after the colon", name);
  return out;
}

EvalMethod by_pages(const std::string& name, double ratio) {
  EvalMethod out{.name = name};
  out.sparq.ratio = ratio;
  out.sparq.selector = KeySelection::kPages;
  return out;
}

}  // namespace

EvalMethod EvalMethod::named(const std::string& name) {
  EvalMethod out{.name = name};
  const size_t colon = name.find(':');
  const std::string kind = name.substr(0, colon);
  if (kind == "sparq" && colon != name.npos)
    out.sparq.ratio = number_behind(name, colon);
  else if (kind == "pages" && colon != name.npos)
    out = by_pages(name, number_behind(name, colon));
  else if (kind == "auto")
    out.sparq.loss = colon == name.npos ? SparqParams::kUsualLoss : number_behind(name, colon);
  else if (name != "dense")
    fail(Errc::kBadInput, "'{}' is not a kind of attention; known: dense, sparq:RATIO, pages:RATIO, auto, auto:NATS", name);
  out.sparq.check();
  if (name != "dense" && !out.sparq.on()) fail(Errc::kBadInput, "'{}': want more than 0 after the colon", name);
  return out;
}

EvalCache EvalCache::named(const std::string& name) {
  if (name == "small") return {name, kSmallCache.k, kSmallCache.v};
  const size_t slash = name.find('/');
  return {name, name.substr(0, slash), slash == name.npos ? name : name.substr(slash + 1)};
}

EvalResult evaluate(const LoadedModel& model, const EvalOptions& options) { return Evaluation(model, options).run(); }

}  // namespace skald
