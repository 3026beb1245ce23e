// Making importance matrices: sums of squares of the inputs of a model's weights on a text.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread_pool.h"
#include "graph/step_observer.h"
#include "stepping/compute.h"
#include "tools/measure/imatrix_file.h"
#include "tools/measure/perplexity.h"
#include "tools/measure/token_chunks.h"

namespace skald {

/// Sees the inputs of all matmuls by weights of layers. Weights of one operation (queries, keys and values; gate and up) get
/// an entry each; experts count the rows that go to them.
class ImatrixCollector : public StepObserver {
 public:
  /// `output`: of output.weight too. `pool` must outlive the collector.
  ImatrixCollector(ThreadPool& pool, bool output) : pool_(pool), output_(output) {}

  /// Throws kBadInput naming the weight when an input is not finite.
  void before(const Graph& graph, const Node& node, std::span<const TensorView> in) override;

  /// Returns the sums so far, by the names of the weights.
  std::map<std::string, Imatrix::Entry> entries() const;

 private:
  struct Sums {
    std::vector<double> squares;  // (matrices, columns)
    std::vector<int64_t> counts;
    void add(const Sums& other);
  };

  bool wanted(std::string_view weight) const;
  void sum_rows(const TensorView& x);
  void sum_experts(const TensorView& x, const TensorView& ids, int64_t n_experts, bool own_inputs);

  ThreadPool& pool_;
  bool output_;
  std::map<std::string, Sums, std::less<>> sums_;
  Sums step_;  // of the running operation
};

struct ImatrixOptions {
  bool output = false;       // an entry for output.weight too
  std::string dataset = {};  // the text's name in the file
  OnWindow on_window = {};
};

struct CollectedImatrix {
  Imatrix imatrix;
  PerplexityResult perplexity;
};

/// Runs the text's windows and collects. Throws as measure_perplexity().
CollectedImatrix collect_imatrix(const LoadedModel& model, const EngineOptions& options, const TokenChunks& text,
                                 const ImatrixOptions& imatrix);

/// Adds `other` to `into`, whose chunk size (not 0) stands for that of .dat files. Throws kBadInput naming an entry that has
/// other sizes.
void merge(Imatrix& into, const Imatrix& other);

/// Returns the number of chunks of the entry that met the most rows.
int64_t count_chunks(const Imatrix& imatrix);

}  // namespace skald
