// Guesses by the model itself, which reads few keys of the cache for them: on copies of its sequences, so that the step that
// checks guesses gives all keys that stay.
#include <algorithm>
#include <limits>
#include <utility>

#include "engine/drafts/go_ahead.h"
#include "engine/drafts/guess_record.h"
#include "stepping/sparq_layers.h"

namespace skald {
namespace {

constexpr double kLikelySparse = 0.8;  // that a guess is right, before any was judged

class SparqBranch : public TextDrafter {
 public:
  explicit SparqBranch(std::shared_ptr<const AdapterMix> adapters) : adapters_(std::move(adapters)) {}
  std::unique_ptr<TextDrafter> fork() const override { return std::make_unique<SparqBranch>(*this); }
  void judge(int64_t right, int64_t guessed) override { record_.note(right, guessed); }
  double likely(std::span<const TokenId>) override { return record_.likely(); }
  int64_t length() const { return record_.length(); }
  const AdapterMix* adapters() const { return adapters_.get(); }

 private:
  std::shared_ptr<const AdapterMix> adapters_;
  GuessRecord record_{kLikelySparse};
};

// The fewest keys of which some layer does not read all.
int64_t fewest_keys(const Stepper& stepper, const SparqParams& params) {
  int64_t fewest = std::numeric_limits<int64_t>::max();
  for (const SparqLayers& layers : sparq_layers(params, stepper.kv().spec(), stepper.kv().limits(), {}))
    if (layers.from > 0) fewest = std::min(fewest, layers.from);
  return fewest;
}

class SparqDrafts : public Drafter {
 public:
  explicit SparqDrafts(const DraftMeans& means)
      : stepper_(*means.stepper), params_(means.options.draft.sparq()), from_(fewest_keys(stepper_, params_)) {}

  std::unique_ptr<TextDrafter> begin(const Request& request) override {
    return std::make_unique<SparqBranch>(request.adapters);
  }

  void guess(std::span<DraftQuestion> questions) override {
    std::vector<TextAhead> texts;
    for (DraftQuestion& q : questions) {
      if (q.kv->held() < from_) continue;
      const auto& branch = static_cast<SparqBranch&>(*q.drafts);
      texts.push_back({.kv = q.kv->fork(),
                       .last = q.text.back(),
                       .guesses = {*q.next, std::min(q.most, branch.length()), &q.guesses},
                       .adapters = branch.adapters(),
                       .of = q.kv});
    }
    go_ahead(stepper_, std::move(texts), &params_);
  }

 private:
  Stepper& stepper_;
  SparqParams params_;
  int64_t from_;
};

}  // namespace

extern const DraftKind draft_sparq;
const DraftKind draft_sparq{.name = "sparq", .make = [](const DraftMeans& means) -> std::unique_ptr<Drafter> {
                              return std::make_unique<SparqDrafts>(means);
                            }};

}  // namespace skald
