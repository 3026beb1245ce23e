// MomentCollector: how the keys of each layer and the queries that meet them are spread, seen while a text is computed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "graph/ops/attention.h"
#include "graph/step_observer.h"
#include "tools/calibrate/balanced_basis.h"

namespace skald {

class MomentCollector : public StepObserver {
 public:
  /// What one cache of keys has met. Several layers may attend to it.
  struct Layer {
    std::string name;  // of the layer that keeps the keys: "blk.3."
    KeyWindow window = {};
    std::vector<Moments> keys = {}, queries = {};  // by KV head
  };

  /// `pool` must outlive the collector. The sums do not depend on its threads.
  explicit MomentCollector(ThreadPool& pool) : pool_(pool) {}

  void before(const Graph& graph, const Node& node, std::span<const TensorView> in) override;

  /// Returns the layers by their slots.
  const std::map<int32_t, Layer>& layers() const { return layers_; }

 private:
  void add(std::vector<Moments>& to, const TensorView& x, int64_t heads);

  ThreadPool& pool_;
  std::map<int32_t, Layer> layers_;
};

}  // namespace skald
