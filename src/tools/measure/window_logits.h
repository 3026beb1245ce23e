// Logits of a text's windows, several windows at a time where they are short.
#pragma once

#include <functional>
#include <vector>

#include "stepping/compute.h"
#include "tools/measure/token_chunks.h"

namespace skald {

/// Some rows of logits: of the positions `first`, `first` + 1, ... of a window.
struct WindowLogits {
  int64_t chunk, first;
  const float* values;  // (rows, n_vocab)
  int64_t rows;
};

/// Tells of the sparse decoding of some text.
struct SparqReport {
  SparqUse use = {};
  std::vector<SparqLayers> layers = {};  // as Engine::sparq_layers()
};

/// Which positions' logits are computed: the last one predicts nothing, but its inputs may count.
enum class Positions : uint8_t { kPredicting, kAll };

/// Says so where contexts are longer than those that the model was trained on, or that RoPE is scaled for.
void warn_beyond_training(const LoadedModel& model, int64_t n_ctx);

/// Computes all windows in steps as long as options.schedule allows and hands their logits on, of each window in order;
/// `take` must not keep them. Where the options ask for sparse decoding, predicting positions are computed so, as one token
/// at a time is. Throws as a model that cannot be run, and as `take`.
SparqReport compute_windows(const LoadedModel& model, const EngineOptions& options, const TokenChunks& text,
                            Positions positions, StepObserver* observer,
                            const std::function<void(const WindowLogits&)>& take);

}  // namespace skald
