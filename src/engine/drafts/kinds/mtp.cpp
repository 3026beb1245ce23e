// Guesses by the layer of the model's own file that predicts further tokens, applied again for each. Gloeckle et al., arXiv
// 2404.19737; DeepSeek-V3, arXiv 2412.19437.
#include <algorithm>
#include <memory>
#include <utility>

#include "engine/drafts/go_ahead.h"
#include "engine/drafts/guess_record.h"
#include "engine/drafts/hidden_text.h"
#include "loading/loaded_model.h"
#include "stepping/runner.h"

namespace skald {
namespace {

constexpr double kLikelyLayer = 0.7;  // that a guess is right, before any was judged

class LayerBranch : public TextDrafter {
 public:
  explicit LayerBranch(HiddenText text) : text(std::move(text)) {}
  std::unique_ptr<TextDrafter> fork() const override {
    auto out = std::make_unique<LayerBranch>(text.fork());
    out->record = record;
    return out;
  }
  void judge(int64_t right, int64_t guessed) override { record.note(right, guessed); }
  double likely(std::span<const TokenId>) override { return record.likely(); }
  void see(int64_t first, const Logits& hidden, int64_t first_row, int64_t n) override {
    text.see(first, hidden, first_row, n);
  }

  HiddenText text;
  GuessRecord record{kLikelyLayer};
};

class LayerDrafts : public Drafter {
 public:
  explicit LayerDrafts(const DraftMeans& means)
      : o_(means.options.draft),
        rows_(std::max(means.options.schedule.step_rows(), means.stepper->kv().limits().max_rows)),
        n_ctx_(means.stepper->kv().limits().max_keys),
        layer_(means.model->ahead_model(means.stepper->weights()), *means.backend, drafting_cache(means),
               {.n_parallel = means.options.schedule.n_parallel, .n_batch = rows_, .n_ubatch = rows_}) {}

  std::unique_ptr<TextDrafter> begin(const Request&) override {
    return std::make_unique<LayerBranch>(HiddenText(layer_.new_sequence()));
  }
  bool reads_along() const override { return true; }

  void guess(std::span<DraftQuestion> questions) override {
    std::vector<Read> reads;
    int64_t left = rows_;
    for (DraftQuestion& q : questions) {
      HiddenText& text = static_cast<LayerBranch&>(*q.drafts).text;
      const std::span<const TokenId> tokens = text.unread(q.text, q.kv->length(), std::min(left, n_ctx_));
      if (tokens.empty()) continue;
      left -= std::ssize(tokens);
      reads.push_back({&q, &text, tokens, q.most > 0 && &tokens.back() == &q.text.back()});
    }
    if (!reads.empty()) go_ahead(layer_, first_guesses(reads), nullptr);
    drop_few(questions, o_);
  }

 private:
  struct Read {
    DraftQuestion* question;
    HiddenText* text;
    std::span<const TokenId> tokens;
    bool guesses;  // the text's last token is among them
  };

  // The step that reads the texts gives the first guess of each; those after it are on copies.
  std::vector<TextAhead> first_guesses(std::vector<Read>& reads) {
    std::vector<StepItem> items;
    for (Read& r : reads) {
      r.text->make_room(std::ssize(r.tokens), n_ctx_);
      items.push_back({.kv = &r.text->kv(),
                       .tokens = r.tokens,
                       .n_outputs = r.guesses,
                       .decode = r.guesses,
                       .hidden = r.text->rows_before(r.tokens)});
    }
    std::vector<TextAhead> out;
    const std::optional<Logits> logits = try_step(layer_, items);
    const Logits hidden = layer_.hidden();
    int64_t row = -1, output = 0;
    for (Read& r : reads) {
      if (!logits) {
        r.text->forget();
        continue;
      }
      row += std::ssize(r.tokens);
      r.text->note_read(r.tokens);
      if (r.guesses) take(r, *logits, output++, hidden.row(row), out);
    }
    return out;
  }

  void take(const Read& r, const Logits& logits, int64_t output, std::span<const float> hidden,
            std::vector<TextAhead>& out) const {
    DraftQuestion& q = *r.question;
    const int64_t length = static_cast<LayerBranch&>(*q.drafts).record.length();
    Guesses guesses{*q.next, std::min(q.most, length), &q.guesses, static_cast<double>(o_.p_min)};
    if (guesses.take(logits, output))
      out.push_back({r.text->kv().fork(), q.guesses.back(), std::move(guesses), {hidden.begin(), hidden.end()}});
  }

  DraftOptions o_;
  int64_t rows_, n_ctx_;
  Runner layer_;
};

}  // namespace

extern const DraftKind draft_mtp;
const DraftKind draft_mtp{.name = "mtp", .make = [](const DraftMeans& means) -> std::unique_ptr<Drafter> {
                            return std::make_unique<LayerDrafts>(means);
                          }};

}  // namespace skald
