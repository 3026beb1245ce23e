// Guesses by a smaller model of the same vocabulary. Leviathan et al., arXiv 2211.17192, where the text's own choices judge.
#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.h"
#include "engine/drafts/go_ahead.h"
#include "engine/drafts/guess_record.h"
#include "engine/drafts/same_vocabulary.h"
#include "skald/model.h"
#include "stepping/compute.h"

namespace skald {
namespace {

constexpr double kLikelyModel = 0.7;  // that a guess is right, before any was judged

/// The smaller model's sequence of a text.
class ModelBranch : public TextDrafter {
 public:
  explicit ModelBranch(KvSequence kv) : kv_(std::move(kv)) {}
  std::unique_ptr<TextDrafter> fork() const override {
    auto out = std::make_unique<ModelBranch>(kv_.fork());
    out->known_ = known_;
    out->record_ = record_;
    return out;
  }
  void judge(int64_t right, int64_t guessed) override { record_.note(right, guessed); }
  double likely(std::span<const TokenId>) override { return record_.likely(); }
  int64_t length() const { return record_.length(); }
  KvSequence& kv() { return kv_; }

  /// Goes back to where the text agrees with what it has read. Returns the tokens that it has not.
  std::span<const TokenId> unread(std::span<const TokenId> text) {
    const auto differs = std::ranges::mismatch(known_, text.first(text.size() - 1)).in1;
    if (differs != known_.end()) {
      known_.erase(differs, known_.end());
      if (!kv_.truncate(std::ssize(known_))) {
        kv_.clear();
        known_.clear();
      }
    }
    return text.subspan(known_.size());
  }
  void note_read(std::span<const TokenId> tokens) { known_.insert(known_.end(), tokens.begin(), tokens.end()); }

 private:
  KvSequence kv_;
  std::vector<TokenId> known_;  // have keys
  GuessRecord record_{kLikelyModel};
};

class ModelDrafts : public Drafter {
 public:
  explicit ModelDrafts(const DraftMeans& means)
      : o_(means.options.draft),
        model_(drafting_model(means)),
        n_vocab_(means.model->n_vocab()),
        rows_(means.options.schedule.step_rows()),
        n_ctx_(means.stepper->kv().limits().max_keys),
        compute_(*model_, engine_options(means, n_ctx_)) {}

  std::unique_ptr<TextDrafter> begin(const Request&) override {
    return std::make_unique<ModelBranch>(compute_.runner().new_sequence());
  }

  void guess(std::span<DraftQuestion> questions) override {
    std::vector<Asked> asked;
    for (DraftQuestion& q : questions) {
      auto& branch = static_cast<ModelBranch&>(*q.drafts);
      const std::span<const TokenId> unread = branch.unread(q.text);
      if (std::ssize(q.text) >= n_ctx_ || !read(branch, unread)) continue;
      asked.push_back({&q, &branch, unread});
    }
    if (!asked.empty()) go_ahead(compute_.runner(), first_guesses(asked), nullptr);
    for (DraftQuestion& q : questions)
      if (std::ssize(q.guesses) < o_.least) q.guesses.clear();
  }

 private:
  struct Asked {
    DraftQuestion* question;
    ModelBranch* branch;
    std::span<const TokenId> unread;
  };

  static std::shared_ptr<const LoadedModel> drafting_model(const DraftMeans& means) {
    std::shared_ptr<const LoadedModel> model = Model::load(means.options.draft.model).loaded();
    model->want_writer();
    if (model->has_prefix()) fail(Errc::kUnsupported, "draft.model: its texts begin with a prefix that is read both ways");
    check_same_vocabulary(*means.model, *model);
    return model;
  }
  static EngineOptions engine_options(const DraftMeans& means, int64_t n_ctx) {
    const CacheOptions& cache = means.options.cache;
    return {.device = means.options.device,
            .cache = {.n_ctx = n_ctx, .type_k = cache.type_k, .type_v = cache.type_v},
            .schedule = means.options.schedule};
  }

  // A text of many tokens is read a step's rows at a time, so that others go on. Returns whether a step can read the rest.
  bool read(ModelBranch& branch, std::span<const TokenId> unread) {
    if (std::ssize(unread) <= rows_) return true;
    const std::span<const TokenId> some = unread.first(static_cast<size_t>(rows_));
    const StepItem item{.kv = &branch.kv(), .tokens = some, .n_outputs = 0};
    if (try_step(compute_.runner(), {&item, 1})) branch.note_read(some);
    return false;
  }

  // The step that reads the texts gives the first guess of each; those after it are on copies.
  std::vector<TextAhead> first_guesses(std::vector<Asked>& asked) {
    std::vector<StepItem> items;
    for (const Asked& a : asked)
      items.push_back({.kv = &a.branch->kv(), .tokens = a.unread, .n_outputs = 1, .decode = true});
    std::vector<TextAhead> out;
    const std::optional<Logits> logits = try_step(compute_.runner(), items);
    for (size_t i = 0; logits && i < asked.size(); ++i) {
      const Asked& a = asked[i];
      a.branch->note_read(a.unread);
      const int64_t most = std::min(a.question->most, a.branch->length());
      Guesses guesses{*a.question->next, most, &a.question->guesses, static_cast<double>(o_.p_min), n_vocab_};
      if (guesses.take(*logits, static_cast<int64_t>(i)))
        out.push_back({a.branch->kv().fork(), a.question->guesses.back(), std::move(guesses)});
    }
    return out;
  }

  DraftOptions o_;
  std::shared_ptr<const LoadedModel> model_;
  int64_t n_vocab_, rows_, n_ctx_;
  Compute compute_;
};

}  // namespace

extern const DraftKind draft_draft;
const DraftKind draft_draft{
    .name = "draft",
    .make = [](const DraftMeans& means) -> std::unique_ptr<Drafter> { return std::make_unique<ModelDrafts>(means); },
    .fits = [](const DraftMeans& means) { return !means.options.draft.model.empty(); }};

}  // namespace skald
