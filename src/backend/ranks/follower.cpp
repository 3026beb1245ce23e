#include "backend/ranks/follower.h"

#include <map>
#include <utility>

#include "backend/ranks/follower_memory.h"
#include "backend/ranks/model_mark.h"
#include "backend/ranks/orders.h"
#include "backend/ranks/pieces_order.h"
#include "backend/ranks/share.h"
#include "backend/ranks/stage_program.h"

namespace skald {
namespace {

using Piece = DeviceMemory::Piece;

class Follower {
 public:
  Follower(Group& group, Backend& backend, const FollowedModel& model, const RankCut& cut)
      : group_(group), backend_(backend), model_(model), cut_(cut), place_(place_of(group, cut)) {}

  void run() {
    while (true) {
      const std::vector<std::byte> bytes = receive_orders(group_);
      for (ByteReader from(bytes); !from.done();)
        if (!follow(from.take<Order>(), from)) return;
    }
  }

 private:
  Graph share(const StepCapacity& step) const { return share_of_rank(model_.graph(step), place_, cut_); }
  // Whether the order is for this rank's stage.
  bool is_for_stage(ByteReader& from) const { return from.take<int>() == place_.stage; }

  // False: this was the last order.
  bool follow(Order order, ByteReader& from) {
    switch (order) {
      case Order::kLoad:
        load(from);
        break;
      case Order::kCompile:
        compile(from);
        break;
      case Order::kDrop:
        programs_.erase(from.take<int32_t>());
        break;
      case Order::kAllocate: {
        const bool own = is_for_stage(from);
        const auto* const there = from.take<const std::byte*>();
        const auto bytes = from.take<int64_t>();
        if (own) memory_.allocate(there, bytes);
        break;
      }
      case Order::kFree: {
        const bool own = is_for_stage(from);
        const auto* const there = from.take<const std::byte*>();
        if (own) memory_.free(there);
        break;
      }
      case Order::kCopy: {
        const bool own = is_for_stage(from);
        const std::vector<Piece> pieces = take_pieces(from, own, own);
        if (own) host_memory().copy_all(pieces);
        break;
      }
      case Order::kClear:
        clear(from, is_for_stage(from));
        break;
      case Order::kWrite:
        write(from);
        break;
      case Order::kClearOf:
        clear(from, from.take<int>() == group_.rank());
        break;
      case Order::kReadOf:
        read_own(from);
        break;
      case Order::kWriteOf:
        write_own(from);
        break;
      case Order::kStep:
        step(from);
        break;
      case Order::kPing:
        break;
      case Order::kReset:
        reset();
        break;
      case Order::kStop:
        return false;
    }
    return true;
  }

  void load(ByteReader& from) {
    const auto step = from.take<StepCapacity>();
    const ModelMark first = ModelMark::read(from);
    const std::string difference = mark_of(model_.options, model_.graph({1, 1}), *model_.weights).differs_from(first);
    answer(group_, difference);
    if (!difference.empty()) return;  // the first rank ends the job
    weights_ = std::make_unique<ShareWeights>(backend_, share(step), place_, *model_.weights);
    answer(group_, "");
  }

  void compile(ByteReader& from) {
    const auto number = from.take<int32_t>();
    const Graph graph = share(from.take<StepCapacity>());
    programs_[number] = std::make_unique<StageProgram>(graph, place_, backend_, weights_->own(), group_);
  }

  // Pieces of the first rank's memory, as they lie here; where the other end of a copy is its host's, that stays.
  std::vector<Piece> take_pieces(ByteReader& from, bool to_here, bool from_here) const {
    std::vector<Piece> pieces = from.take_all<Piece>();
    for (Piece& p : pieces) {
      if (to_here) p.to = memory_.here(p.to);
      if (from_here) p.from = memory_.here(p.from);
    }
    return pieces;
  }

  void clear(ByteReader& from, bool own) {
    const auto* const there = from.take<const std::byte*>();
    const auto bytes = from.take<int64_t>();
    if (own) host_memory().clear(memory_.here(there), bytes);
  }

  void write(ByteReader& from) {
    const bool own = is_for_stage(from);
    const std::vector<Piece> pieces = take_pieces(from, own, false);
    if (own)
      write(pieces, from);
    else
      from.take_bytes(static_cast<size_t>(bytes_of(pieces)));
  }
  static void write(std::span<const Piece> pieces, ByteReader& bytes) {
    for_each_copy(pieces, [&](std::byte* to, const std::byte*, int64_t n) {
      host_memory().write(to, bytes.take_bytes(static_cast<size_t>(n)).data(), n);
    });
  }

  void read_own(ByteReader& from) {
    const bool own = from.take<int>() == group_.rank();
    const std::vector<Piece> pieces = take_pieces(from, false, own);
    if (!own) return;
    ByteWriter all;
    for_each_copy(std::span(pieces),
                  [&](std::byte*, const std::byte* at, int64_t n) { all.put_bytes(at, static_cast<size_t>(n)); });
    const Group::Send answer{0, all.bytes()};
    group_.exchange({&answer, 1}, {});
  }

  void write_own(ByteReader& from) {
    const bool own = from.take<int>() == group_.rank();
    const std::vector<Piece> pieces = take_pieces(from, own, false);
    if (!own) return;
    std::vector<std::byte> all(static_cast<size_t>(bytes_of(pieces)));
    const Group::Receive message{0, all};
    group_.exchange({}, {&message, 1});
    ByteReader bytes(all);
    write(pieces, bytes);
  }

  void step(ByteReader& from) {
    StageProgram& program = *programs_.at(from.take<int32_t>());
    const StepPieces pieces = reader_.read(from, program.graph(), memory_);
    program.run(pieces.pieces);
    if (place_.stage == 0) program.finish(*pieces.whole);
  }

  void reset() {
    programs_.clear();
    weights_.reset();
    memory_.clear();
    reader_ = {};
  }

  Group& group_;
  Backend& backend_;
  const FollowedModel& model_;
  RankCut cut_;
  StagePlace place_;
  std::unique_ptr<ShareWeights> weights_;
  std::map<int32_t, std::unique_ptr<StageProgram>> programs_;
  FollowerMemory memory_;
  PiecesReader reader_;
};

}  // namespace

void follow(Group& group, Backend& backend, const FollowedModel& model, const RankCut& cut) {
  Follower(group, backend, model, cut).run();
}

void stop_followers(Group& group) {
  Orders orders(group);
  orders.add(Order::kStop);
  orders.send();
}

}  // namespace skald
