#include "backend/ranks/leader.h"

#include <utility>

#include "backend/ranks/micro_steps.h"
#include "backend/ranks/stage_program.h"
#include "base/error.h"
#include "graph/stages.h"

namespace skald {
namespace {

/// A program of which each rank has a share.
class LeaderProgram : public Program {
 public:
  LeaderProgram(std::unique_ptr<StageProgram> own, Orders& orders, int32_t number, PiecesWriter& writer, int64_t weights)
      : own_(std::move(own)), orders_(orders), number_(number), writer_(writer), weights_(weights) {}
  ~LeaderProgram() override {
    orders_.note(Order::kDrop, [this](ByteWriter& w) { w.put(number_); });
  }

  const StepOutputs& run(const StepArgs& step) override {
    const auto alone = orders_.alone();
    const StagePlace& place = own_->place();
    const int64_t n = place.stages > 1 ? best_pieces(graph(), step, place.stages, weights_) : 1;
    const StepPieces pieces{n > 1 ? cut_.cut(graph(), step, n) : std::span(&step, 1), &step};
    orders_.add(Order::kStep, [&](ByteWriter& w) {
      w.put(number_);
      writer_.write(w, graph(), pieces, /*whole=*/place.ranks > 1);
    });
    orders_.send();
    try {
      own_->run(pieces.pieces);
      return own_->finish(step);
    } catch (const std::exception& e) {
      orders_.group().give_up(e.what());  // the others wait for this rank's part
      throw;
    }
  }
  const Graph& graph() const override { return own_->graph(); }

 private:
  std::unique_ptr<StageProgram> own_;
  Orders& orders_;
  int32_t number_;
  PiecesWriter& writer_;
  int64_t weights_;  // bytes, of all stages
  MicroSteps cut_;
};

}  // namespace

RankLeader::RankLeader(std::unique_ptr<Backend> own, std::shared_ptr<Group> group, const RankCut& cut, std::string options)
    : own_(std::move(own)),
      group_(std::move(group)),
      cut_(cut),
      place_(place_of(*group_, cut)),
      options_(std::move(options)),
      orders_(*group_) {
  for (int stage = 0; stage < place_.stages; ++stage)
    memories_.push_back(std::make_unique<LeaderMemory>(own_->memory(), orders_, place_, stage));
}

RankLeader::~RankLeader() {
  if (!pulse_) return;
  pulse_.reset();
  try {
    orders_.add(Order::kReset);
    orders_.send();
  } catch (const Error&) {  // the ranks are not together any more
  }
  group_->let_go();
}

// Stages change no bit; the cache tells how memory lies.
std::string RankLeader::placement(const Graph& graph) const {
  if (place_.ranks == 1) return own_->placement(graph);
  return fmt::format("{} ranks{} {}", place_.ranks, cut_.exact ? " exactly" : "", own_->placement(graph));
}

std::optional<Graph> RankLeader::own_share(const Graph& whole) {
  if (!smallest_) smallest_ = whole;  // runners ask for it first
  return share_of_rank(whole, place_, cut_);
}

std::shared_ptr<const DeviceWeights> RankLeader::load(const Graph& graph, const WeightSource& source) {
  if (!graph.made_for) return own_->load(graph, source);
  if (!pulse_ && !group_->claim()) fail(Errc::kUnsupported, "one engine at a time can use the ranks, and another one does");
  if (!pulse_) pulse_.emplace(orders_);
  begin_load(*graph.made_for, mark_of(options_, *smallest_, source));
  auto weights = std::make_shared<ShareWeights>(*own_, graph, place_, source);  // the others hear that this rank lives
  const auto alone = orders_.alone();
  want_good_answers(*group_);  // that they have loaded theirs
  return weights;
}

void RankLeader::begin_load(const StepCapacity& step, const ModelMark& mark) {
  const auto alone = orders_.alone();
  orders_.add(Order::kLoad, [&](ByteWriter& w) {
    w.put(step);
    mark.write(w);
  });
  orders_.send();
  want_good_answers(*group_);  // that they have the same model
}

std::shared_ptr<const DeviceAdapter> RankLeader::adapt(const Graph&, std::shared_ptr<const Adapter>) {
  fail(Errc::kUnsupported,
       "device.tensor_parallel, device.pipeline_parallel: several processes apply no adapters in their steps; merge them "
       "into the model (--lora-merge)");
}

std::unique_ptr<Program> RankLeader::compile(const Graph& graph, const DeviceWeights& weights) {
  const auto* share = dynamic_cast<const ShareWeights*>(&weights);
  if (!share) return own_->compile(graph, weights);
  const int32_t number = programs_++;
  orders_.add(Order::kCompile, [&](ByteWriter& w) {
    w.put(number);
    w.put(*graph.made_for);
  });
  auto own = std::make_unique<StageProgram>(graph, place_, *own_, share->own(), *group_);
  return std::make_unique<LeaderProgram>(std::move(own), orders_, number, writer_, place_.stages * share->bytes());
}

std::vector<DeviceMemory*> RankLeader::state_memories(const Graph& graph) {
  std::vector<DeviceMemory*> out(graph.states.size(), memories_.front().get());
  if (place_.stages == 1) return out;
  const std::vector<size_t> stages = stages_of(graph, memories_.size());
  for (int id = 0; id < graph.size(); ++id)
    if (const int64_t slot = slot_of(graph.node(id)); slot >= 0)
      out[static_cast<size_t>(slot)] = memories_[stages[static_cast<size_t>(id)]].get();
  return out;
}

}  // namespace skald
