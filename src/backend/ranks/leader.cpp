#include "backend/ranks/leader.h"

#include <utility>

#include "backend/ranks/share.h"
#include "base/error.h"

namespace skald {
namespace {

/// A program of which each rank has a share.
class LeaderProgram : public Program {
 public:
  LeaderProgram(std::unique_ptr<Program> own, Orders& orders, int32_t number, StepWriter& writer)
      : own_(std::move(own)), orders_(orders), number_(number), writer_(writer) {}
  ~LeaderProgram() override {
    orders_.note(Order::kDrop, [this](ByteWriter& w) { w.put(number_); });
  }

  const StepOutputs& run(const StepArgs& step) override {
    StepArgs args = step;
    args.group = &orders_.group();
    const auto alone = orders_.alone();
    orders_.add(Order::kStep, [&](ByteWriter& w) {
      w.put(number_);
      writer_.write(w, own_->graph(), step);
    });
    orders_.send();
    try {
      return own_->run(args);
    } catch (const std::exception& e) {
      orders_.group().give_up(e.what());  // the others wait for this rank's part
      throw;
    }
  }
  const Graph& graph() const override { return own_->graph(); }

 private:
  std::unique_ptr<Program> own_;
  Orders& orders_;
  int32_t number_;
  StepWriter& writer_;
};

}  // namespace

RankLeader::RankLeader(std::unique_ptr<Backend> own, std::shared_ptr<Group> group, bool exact, std::string options)
    : own_(std::move(own)),
      group_(std::move(group)),
      exact_(exact),
      options_(std::move(options)),
      orders_(*group_),
      memory_(own_->memory(), orders_) {}

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

std::string RankLeader::placement(const Graph& graph) const {
  return fmt::format("{} ranks{} {}", group_->size(), exact_ ? " exactly" : "", own_->placement(graph));
}

std::optional<Graph> RankLeader::own_share(const Graph& whole) {
  if (!smallest_) smallest_ = whole;  // runners ask for it first
  return shard(whole, shard_options(*group_, exact_));
}

std::shared_ptr<const DeviceWeights> RankLeader::load(const Graph& graph, const WeightSource& source) {
  if (!graph.made_for) return own_->load(graph, source);
  if (!pulse_ && !group_->claim()) fail(Errc::kUnsupported, "one engine at a time can use the ranks, and another one does");
  if (!pulse_) pulse_.emplace(orders_);
  begin_load(*graph.made_for, mark_of(options_, *smallest_, source));
  auto weights = std::make_shared<ShareWeights>(*own_, graph, source);  // the others hear that this rank lives
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

std::unique_ptr<Program> RankLeader::compile(const Graph& graph, const DeviceWeights& weights) {
  const auto* share = dynamic_cast<const ShareWeights*>(&weights);
  if (!share) return own_->compile(graph, weights);
  const int32_t number = programs_++;
  orders_.add(Order::kCompile, [&](ByteWriter& w) {
    w.put(number);
    w.put(*graph.made_for);
  });
  return std::make_unique<LeaderProgram>(own_->compile(graph, share->own()), orders_, number, writer_);
}

std::vector<DeviceMemory*> RankLeader::state_memories(const Graph& graph) {
  return std::vector<DeviceMemory*>(graph.states.size(), &memory_);
}

}  // namespace skald
