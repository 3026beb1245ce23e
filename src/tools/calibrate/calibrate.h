// Calibrations of the key index, from a text: the work of `skald calibrate`.
#pragma once

#include <string>

#include "tools/measure/perplexity.h"
#include "tools/measure/token_chunks.h"

namespace skald {

struct CalibrateOptions {
  std::string dataset = {};  // the text's name in the file
  OnWindow on_window = {};
};

struct CalibratedModel {
  int64_t layers = 0;   // that got a basis
  int64_t windows = 0;  // layers without one, whose windows are too short for an index to be read
  PerplexityResult perplexity;
};

/// Computes the text's windows and writes a calibration file. Its bytes do not depend on the number of threads. Throws
/// kBadInput for a model that has no layer to calibrate, and as measure_perplexity() and write_calibration().
CalibratedModel calibrate(const LoadedModel& model, const EngineOptions& options, const TokenChunks& text,
                          const std::string& out, const CalibrateOptions& more);

}  // namespace skald
