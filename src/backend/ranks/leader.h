// RankLeader: the first of several ranks that compute one model: it computes its share, and has the others compute theirs.
// Each of them runs follow() (follower.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/ranks/leader_memory.h"
#include "backend/ranks/model_mark.h"
#include "backend/ranks/orders.h"
#include "backend/ranks/pieces_order.h"
#include "backend/ranks/pulse.h"
#include "backend/ranks/share.h"

namespace skald {

class RankLeader : public Backend {
 public:
  /// Its share is computed by `own`. One at a time can be used with a group.
  /// `options`: in words, those that all ranks must have alike.
  RankLeader(std::unique_ptr<Backend> own, std::shared_ptr<Group> group, const RankCut& cut, std::string options = {});
  ~RankLeader() override;
  RankLeader(const RankLeader&) = delete;
  RankLeader& operator=(const RankLeader&) = delete;

  BackendInfo info() const override { return own_->info(); }
  std::string placement(const Graph& graph) const override;
  std::optional<Graph> own_share(const Graph& whole) override;
  bool supports(const Graph& graph, const Node& node) const override { return own_->supports(graph, node); }
  std::shared_ptr<const DeviceWeights> load(const Graph& graph, const WeightSource& source) override;
  std::unique_ptr<Program> compile(const Graph& graph, const DeviceWeights& weights) override;
  /// Throws kUnsupported: the other ranks have no adapters.
  std::shared_ptr<const DeviceAdapter> adapt(const Graph& graph, std::shared_ptr<const Adapter> adapter) override;
  void share(int64_t n, const std::function<void(int64_t)>& fn) override { own_->share(n, fn); }
  int64_t work_bytes() const override { return own_->work_bytes(); }
  std::vector<DeviceMemory*> state_memories(const Graph& graph) override;
  DeviceMemory& memory() override { return own_->memory(); }
  const DeviceMeter& meter() override { return own_->meter(); }

 private:
  void begin_load(const StepCapacity& step, const ModelMark& mark);

  std::unique_ptr<Backend> own_;
  std::shared_ptr<Group> group_;
  RankCut cut_;
  StagePlace place_;
  std::string options_;
  std::optional<Graph> smallest_;  // of the whole model
  Orders orders_;
  std::vector<std::unique_ptr<LeaderMemory>> memories_;  // (stages)
  PiecesWriter writer_;
  std::optional<Pulse> pulse_;  // while it has the group
  int32_t programs_ = 0;        // compiled so far
};

}  // namespace skald
