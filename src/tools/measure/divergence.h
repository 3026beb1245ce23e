// How far a model's predictions are from those of a reference model, on the reference's text.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stepping/compute.h"
#include "tools/measure/mean_error.h"
#include "tools/measure/perplexity.h"
#include "tools/measure/reference_file.h"

namespace skald {

struct DivergenceResult {
  std::string model, type;
  int64_t n_ctx = 0, chunks = 0;
  MeanPair loss = {};         // -log p of each predicted token, in nats: of the model and of the reference
  MeanError divergence = {};  // Kullback-Leibler, of the model from the reference, in nats
  MeanError delta_p = {}, delta_p_squared = {};      // of the predicted token: the model's probability less the reference's
  MeanError same_top = {};                           // 1 where both hold the same token most likely, else 0
  std::vector<float> divergences = {}, deltas = {};  // of all predictions, sorted
  SparqReport sparq = {};

  double perplexity() const { return std::exp(loss.a().mean()); }
  double perplexity_error() const { return perplexity() * loss.a().error(); }
  double reference_perplexity() const { return std::exp(loss.b().mean()); }
  double reference_error() const { return reference_perplexity() * loss.b().error(); }
  /// Root of the mean square of delta_p, and its standard error.
  double delta_p_rms() const { return std::sqrt(delta_p_squared.mean()); }
  double delta_p_rms_error() const;
};

/// Compares each window's predictions, or its `last` ones (0: all). `bos` as in TokenChunks. Throws kBadInput for a model
/// with another vocabulary and for more predictions than a window has, and as measure_perplexity().
DivergenceResult measure_divergence(const LoadedModel& model, const EngineOptions& options, const ReferenceFile& reference,
                                    std::optional<TokenId> bos, const OnWindow& on_window, int64_t last = 0);

/// Throws kBadInput where `text` is not the text of the reference.
void check_same_text(const TokenChunks& text, const ReferenceFile& reference);

/// Of sorted values, not empty: at this share (0 to 1) of them, between the nearest two.
double quantile(std::span<const float> values, double share);

std::string divergence_markdown(const DivergenceResult& result);
std::string divergence_json(const DivergenceResult& result);
std::string divergence_csv(const DivergenceResult& result);

}  // namespace skald
