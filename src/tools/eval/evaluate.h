// How well a model answers from long prompts and predicts their continuations, by length, kind of attention and cache,
// beside speed and bytes read.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "skald/options.h"
#include "stepping/compute.h"
#include "tools/eval/chat_form.h"
#include "tools/eval/eval_suite.h"
#include "tools/measure/mean_error.h"

namespace skald {

/// How generated tokens attend.
struct EvalMethod {
  std::string name;
  SparqParams sparq = {};  // off: to all keys

  /// "dense", "sparq:8" and "pages:8" (ratios), "auto" or "auto:0.02" (a loss). Throws kBadInput naming the part that is
  /// wrong.
  static EvalMethod named(const std::string& name);
};

/// Types of cached keys and values: "f16", or "q8_0/q4_0".
struct EvalCache {
  std::string name, k_type, v_type;

  static EvalCache named(const std::string& name);
};

struct EvalProgress {
  int64_t done = 0, total = 0;  // answers
  std::string what;             // "needle, 4096 tokens, f16, sparq:8"
};

struct EvalOptions {
  EngineOptions compute = {};  // but for its cache's types, size and sparse decoding
  std::vector<const EvalSuite*> suites = {};
  std::vector<int64_t> lengths = {};
  std::vector<EvalMethod> methods = {};
  std::vector<EvalCache> caches = {};
  int64_t cases = 20;  // of a suite at a length
  uint64_t seed = 1;
  std::optional<std::string> text = {};      // of which suites that predict take stretches; none: they make one up
  std::optional<ChatFormOptions> chat = {};  // tasks are set in a chat; without suites that predict
  std::string save = {};                     // file with the answers so far, which are not asked for again; empty: none
  std::function<void(const EvalProgress&)> on_answer = {};  // may throw to end the work
};

/// How one method predicts the continuation of a case's prompt: means of its tokens, in nats.
struct EvalPrediction {
  double loss = 0;
  double divergence = 0;  // Kullback-Leibler, from dense attention in the same cache
};

/// One case by one method.
struct EvalAnswer {
  double score = 0, seconds = 0;                  // of decoding
  int64_t tokens = 0;                             // decoded
  double bytes = 0;                               // of keys and values that these read
  std::optional<EvalPrediction> prediction = {};  // then there is no score
};

struct EvalRow {
  std::string suite, cache, method;
  int64_t length = 0;
  MeanError score = {};                  // of cases with answers,
  MeanError loss = {}, divergence = {};  // of those that are predicted
  double seconds = 0, bytes = 0;
  int64_t tokens = 0;

  bool predicts() const { return loss.count() > 0; }
  int64_t cases() const { return score.count() + loss.count(); }
  double perplexity() const { return std::exp(loss.mean()); }
  double tokens_per_s() const { return seconds > 0 ? static_cast<double>(tokens) / seconds : 0; }
  double bytes_per_token() const { return tokens ? bytes / static_cast<double>(tokens) : 0; }
};

struct EvalResult {
  std::string model, type;
  std::string form = "text";  // or "chat"
  uint64_t seed = 0;
  std::vector<EvalRow> rows = {};
};

/// Reads the prompt of a case once for all methods that decode sparsely, and once in a cache laid out for dense decoding.
/// Its last token and those that follow are decoded by each method. The text to predict is decoded token by token, right or
/// wrong. Throws kBadInput before anything is computed, for a suite that has no chat form and for lengths that a suite
/// cannot have. Throws it for a `save` file of another model or other options too. Throws as the model and the file's
/// writer.
EvalResult evaluate(const LoadedModel& model, const EvalOptions& options);

std::string eval_markdown(const EvalResult& result);
std::string eval_json(const EvalResult& result);
std::string eval_csv(const EvalResult& result);
/// Mean accuracy of the suites with answers against length, a line per cache and method. Where there is none: the divergence
/// of sparse decoding, or without that the loss. Throws kBadInput without results.
std::string eval_svg(const EvalResult& result);

}  // namespace skald
