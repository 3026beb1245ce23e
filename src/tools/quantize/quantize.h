// Quantising model files: every tensor in the format of a plan, row by row, as it is written.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/measure/imatrix_file.h"
#include "tools/quantize/quantize_plan.h"

namespace skald {

struct QuantizeReport {
  int64_t elements = 0, bytes_before = 0, bytes = 0;  // of all tensors
  int64_t changed = 0, fell_back = 0;                 // tensors
  int64_t without_importance = 0;                     // tensors that got other formats without one, though there is a matrix
  int64_t files = 1;                                  // more where shards are kept
  double bits_per_weight() const { return 8 * static_cast<double>(bytes) / static_cast<double>(elements); }
};

/// Callbacks for each tensor and for written bytes; an exception of one ends the work. Both may be empty.
struct QuantizeListener {
  std::function<void(const TensorPlan&)> tensor;  // before each
  OnProgress on_progress;                         // bytes that are written
};

struct QuantizeJob {
  std::string in = {};   // GGUF; of a split file, any shard
  std::string out = {};  // empty: nothing is computed, the report tells the sizes
  QuantizeSpec spec = {};
  std::string imatrix = {};  // a file of skald imatrix or llama.cpp's; empty: none
  int n_threads = 0;         // 0: one per usable CPU
  /// A split file stays in as many shards with the same tensors, for `out` "q.gguf" or "q": "q-00001-of-00003.gguf" and so
  /// on.
  bool keep_split = false;
  std::vector<std::string> include_weights = {}, exclude_weights = {};  // of the matrix: see choose_weights()
  std::vector<std::string> override_kv = {};                            // see LoadOptions; for the written metadata too
  std::string calibration = {};  // a file of skald calibrate, which becomes a part of the model; empty: none
};

/// Throws as plan_quantize, read_imatrix, open_calibration, want_same_model, choose_weights, MetaOverrides and
/// GgufWriter::write; kBadInput where a file that is read would be replaced. Throws kBadFile, naming the tensor, for values
/// that are not finite or beyond f16 scales, and for importance of another size. After any exception nothing is written, and
/// no shard has its name before all are complete. The bytes do not depend on the number of threads.
QuantizeReport quantize_file(const QuantizeJob& job, const QuantizeListener& listener);

}  // namespace skald
