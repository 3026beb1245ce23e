// Perplexity: how well a model predicts a text.
#pragma once

#include <cmath>
#include <functional>
#include <string>

#include "graph/step_observer.h"
#include "stepping/compute.h"
#include "tools/measure/mean_error.h"
#include "tools/measure/token_chunks.h"
#include "tools/measure/window_logits.h"

namespace skald {

/// After each window.
struct WindowProgress {
  int64_t done, total;
  double perplexity;  // so far
};
using OnWindow = std::function<void(const WindowProgress&)>;  // may throw to end the measurement

struct PerplexityResult {
  std::string model, type;
  int64_t n_ctx = 0, stride = 0, chunks = 0;
  MeanError loss;  // -log p of each predicted token, in nats
  SparqReport sparq = {};

  double perplexity() const { return std::exp(loss.mean()); }
  /// Its standard error.
  double error() const { return perplexity() * loss.error(); }
};

/// Options of a measurement.
struct PerplexityExtras {
  Positions positions = Positions::kPredicting;
  StepObserver* observer = nullptr;
  std::string save_reference = {};  // file that measure_divergence() compares with; empty: none
  OnWindow on_window = {};
};

/// Memory is bounded by the logits of a step. Throws kBadInput where logits are not finite, and as the model and the file's
/// writer.
PerplexityResult measure_perplexity(const LoadedModel& model, const EngineOptions& options, const TokenChunks& text,
                                    const PerplexityExtras& extras);

std::string perplexity_markdown(const PerplexityResult& result);  // "PPL = 5.1234 +/- 0.04321"
std::string perplexity_json(const PerplexityResult& result);
std::string perplexity_csv(const PerplexityResult& result);

}  // namespace skald
