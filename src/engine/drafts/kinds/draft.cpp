// Guesses by a smaller model of the same vocabulary. Leviathan et al., arXiv 2211.17192, where the text's own choices judge.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "engine/drafts/go_ahead.h"
#include "engine/drafts/guess_record.h"
#include "engine/drafts/kept_texts.h"
#include "engine/drafts/read_text.h"
#include "engine/drafts/same_vocabulary.h"
#include "skald/model.h"
#include "stepping/runner.h"

namespace skald {
namespace {

constexpr double kLikelyModel = 0.7;  // that a guess is right, before any was judged

/// A text as the smaller model has read it.
class ModelBranch : public TextDrafter {
 public:
  /// `kept`: where it goes at its end, for other texts of the scope; null: nowhere.
  ModelBranch(ReadText read, KeptTexts* kept, std::string scope)
      : read_(std::move(read)), kept_(kept), scope_(std::move(scope)) {}
  ~ModelBranch() override {
    guarded("a text that a model has read", [&] {
      if (kept_) kept_->keep(scope_, std::move(read_));
    });
  }
  std::unique_ptr<TextDrafter> fork() const override {
    auto out = std::make_unique<ModelBranch>(read_.fork(), kept_, scope_);
    out->record_ = record_;
    return out;
  }
  void judge(int64_t right, int64_t guessed) override { record_.note(right, guessed); }
  double likely(std::span<const TokenId>) override { return record_.likely(); }
  int64_t length() const { return record_.length(); }
  ReadText& read() { return read_; }

 private:
  ReadText read_;
  KeptTexts* kept_;
  std::string scope_;
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
        runner_(model_->step_model(), *means.backend, drafting_cache(means), means.options.schedule),
        kept_(2 * means.options.schedule.n_parallel) {}

  std::unique_ptr<TextDrafter> begin(const Request& request) override {
    const bool shares = request.conversation || request.cache_prompt;
    const std::string group = group_of(request);
    std::optional<ReadText> known = shares ? kept_.find(group, request.prompt) : std::nullopt;
    return std::make_unique<ModelBranch>(known ? std::move(*known) : ReadText(runner_.new_sequence()),
                                         shares ? &kept_ : nullptr, group);
  }

  bool reads_along() const override { return true; }

  void guess(std::span<DraftQuestion> questions) override {
    std::vector<Asked> asked;
    for (DraftQuestion& q : questions) {
      auto& branch = static_cast<ModelBranch&>(*q.drafts);
      if (std::ssize(q.text) >= n_ctx_) continue;
      const std::span<const TokenId> unread = branch.read().unread(q.text);
      if (q.most == 0 || std::ssize(unread) > rows_)
        read(branch, unread);
      else
        asked.push_back({&q, &branch, unread});
    }
    if (!asked.empty()) go_ahead(runner_, first_guesses(asked), nullptr);
    drop_few(questions, o_);
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

  // Requests that share keys of the model share those of the smaller one.
  static std::string group_of(const Request& request) {
    return request.conversation ? fmt::format("conversation {}", request.conversation) : "scope " + request.scope;
  }

  // As many as a step has rows for, so that others go on. The last token is left for the step that gives a guess.
  void read(ModelBranch& branch, std::span<const TokenId> unread) {
    const std::span<const TokenId> some = unread.first(std::min(unread.size() - 1, static_cast<size_t>(rows_)));
    if (some.empty()) return;
    const StepItem item{.kv = &branch.read().kv, .tokens = some, .n_outputs = 0};
    if (step({&item, 1})) branch.read().note_read(some);
  }

  // Texts that are over make room for those that go on.
  std::optional<Logits> step(std::span<const StepItem> items) {
    while (true) {
      if (std::optional<Logits> logits = try_step(runner_, items)) return logits;
      if (!kept_.forget_oldest()) return std::nullopt;
    }
  }

  // The step that reads the texts gives the first guess of each; those after it are on copies.
  std::vector<TextAhead> first_guesses(std::vector<Asked>& asked) {
    std::vector<StepItem> items;
    for (const Asked& a : asked)
      items.push_back({.kv = &a.branch->read().kv, .tokens = a.unread, .n_outputs = 1, .decode = true});
    std::vector<TextAhead> out;
    const std::optional<Logits> logits = step(items);
    for (size_t i = 0; logits && i < asked.size(); ++i) {
      const Asked& a = asked[i];
      a.branch->read().note_read(a.unread);
      const int64_t most = std::min(a.question->most, a.branch->length());
      Guesses guesses{*a.question->next, most, &a.question->guesses, static_cast<double>(o_.p_min), n_vocab_};
      if (guesses.take(*logits, static_cast<int64_t>(i)))
        out.push_back({a.branch->read().kv.fork(), a.question->guesses.back(), std::move(guesses)});
    }
    return out;
  }

  DraftOptions o_;
  std::shared_ptr<const LoadedModel> model_;
  int64_t n_vocab_, rows_, n_ctx_;
  Runner runner_;  // on the threads of the model, which would wait for others
  KeptTexts kept_;
};

}  // namespace

extern const DraftKind draft_draft;
const DraftKind draft_draft{
    .name = "draft",
    .make = [](const DraftMeans& means) -> std::unique_ptr<Drafter> { return std::make_unique<ModelDrafts>(means); },
    .fits = [](const DraftMeans& means) { return !means.options.draft.model.empty(); }};

}  // namespace skald
