// Guesses of the other kinds, where they gain: by the records of their guesses, and by what steps have cost.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/clock.h"
#include "engine/drafts/draft_kind.h"
#include "engine/drafts/guess_record.h"
#include "engine/drafts/losses.h"
#include "engine/drafts/recent_seconds.h"
#include "engine/drafts/step_prices.h"
#include "engine/drafts/worthwhile.h"
#include "kv/sequence.h"

namespace skald {
namespace {

constexpr int64_t kMostTried = 8;  // guesses that are compared with the text as it comes

// A kind that is used.
struct Part {
  std::unique_ptr<Drafter> source;
  bool computes;
  double guess_seconds = 0;  // each, of late
};

// Guesses that no step checks: the text says what they would have come to. They tell when it is time for those that cost.
class Tried {
 public:
  bool begun() const { return !guesses_.empty(); }
  void begin(std::vector<TokenId> guesses, int64_t at) {
    guesses_ = std::move(guesses);
    at_ = at;
  }
  /// Judges them where the text has come to their end, or differs.
  void compare(std::span<const TokenId> text, TextDrafter& drafts) {
    const std::span<const TokenId> came = text.subspan(static_cast<size_t>(at_));
    const auto n = static_cast<std::ptrdiff_t>(std::min(came.size(), guesses_.size()));
    const auto right = std::mismatch(guesses_.begin(), guesses_.begin() + n, came.begin()).first - guesses_.begin();
    if (right == n && n < std::ssize(guesses_)) return;
    drafts.judge(right, std::ssize(guesses_));
    guesses_.clear();
  }
  void drop() { guesses_.clear(); }

 private:
  std::vector<TokenId> guesses_;
  int64_t at_ = 0;
};

struct PartState {
  std::unique_ptr<TextDrafter> drafts;
  Tried tried = {};
  Pauses pauses = {};
  Losses losses = {};
};

class AutoBranch : public TextDrafter {
 public:
  explicit AutoBranch(std::vector<PartState> parts) : parts_(std::move(parts)) {}
  std::unique_ptr<TextDrafter> fork() const override {
    std::vector<PartState> parts;
    for (const PartState& p : parts_) parts.push_back({p.drafts->fork(), p.tried, p.pauses, p.losses});
    return std::make_unique<AutoBranch>(std::move(parts));
  }
  void judge(int64_t right, int64_t guessed) override {
    parts_[last_].drafts->judge(right, guessed);
    parts_[last_].losses.add(-static_cast<double>(right) * plain_, plain_);
  }
  double likely(std::span<const TokenId> text) override {
    double most = 0;
    for (PartState& p : parts_) most = std::max(most, p.drafts->likely(text));
    return most;
  }
  void see(int64_t first, const Logits& hidden, int64_t first_row, int64_t n) override {
    for (PartState& p : parts_) p.drafts->see(first, hidden, first_row, n);
  }
  std::vector<PartState>& parts() { return parts_; }
  /// The guesses of `part` are those to be judged; a token without guesses takes `plain` seconds.
  void answered_by(size_t part, double plain) {
    last_ = part;
    plain_ = plain;
  }

 private:
  std::vector<PartState> parts_;
  size_t last_ = 0;  // that made the guesses to judge
  double plain_ = 0;
};

AutoBranch& branch_of(const DraftQuestion& q) { return static_cast<AutoBranch&>(*q.drafts); }

class AutoDrafts : public Drafter {
 public:
  explicit AutoDrafts(const DraftMeans& means) {
    for (const DraftKind* kind : draft_kinds())
      if (kind->fits(means)) parts_.push_back({kind->make(means), kind->computes});
  }

  std::unique_ptr<TextDrafter> begin(const Request& request) override {
    std::vector<PartState> parts;
    for (const Part& p : parts_) parts.push_back({p.source->begin(request)});
    return std::make_unique<AutoBranch>(std::move(parts));
  }

  bool reads_along() const override {
    return std::ranges::any_of(parts_, [](const Part& p) { return p.source->reads_along(); });
  }

  void guess(std::span<DraftQuestion> questions) override {
    read(questions);
    const auto texts = std::ranges::count_if(questions, [](const DraftQuestion& q) { return q.most > 0; });
    std::vector<std::vector<DraftQuestion>> of_part(parts_.size());
    for (DraftQuestion& q : questions) {
      if (q.most == 0) continue;
      for (PartState& p : branch_of(q).parts())
        if (p.tried.begun()) p.tried.compare(q.text, *p.drafts);
      const auto [part, guesses] = choose(q, texts);
      if (guesses) of_part[part].push_back(to_part(q, part, guesses));
    }
    for (size_t part = 0; part < parts_.size(); ++part) {
      const double seconds = ask(part, of_part[part]);
      for (DraftQuestion& answer : of_part[part]) give(answer, part, questions, texts, seconds);
    }
    for (const DraftQuestion& q : questions)
      if (q.most > 0 && q.guesses.empty()) try_guesses(q);
  }

  void took(int64_t rows, double seconds) override { prices_.note(rows, seconds); }
  void ended(const Request& request, std::span<const TokenId> text) override {
    for (Part& p : parts_) p.source->ended(request, text);
  }

 private:
  struct Choice {
    size_t part = 0;
    int64_t guesses = 0;
  };

  // Prompts, and texts that have no room for guesses.
  void read(std::span<DraftQuestion> questions) {
    for (size_t part = 0; part < parts_.size(); ++part) {
      if (!parts_[part].source->reads_along()) continue;
      std::vector<DraftQuestion> of_part;
      for (const DraftQuestion& q : questions)
        if (q.most == 0) of_part.push_back(to_part(q, part, 0));
      parts_[part].source->guess(of_part);
    }
  }

  // The part that gains most. One that computes guesses and does not gain is left alone for a while.
  Choice choose(const DraftQuestion& q, int64_t texts) {
    Choice best;
    double gain = 0;
    const int64_t at = std::ssize(q.text);
    for (size_t i = 0; i < parts_.size(); ++i) {
      PartState& p = branch_of(q).parts()[i];
      if (parts_[i].computes && !p.pauses.over(at)) continue;
      const Worth worth = worthwhile(prices_, {.likely = p.drafts->likely(q.text),
                                               .most = q.most,
                                               .texts = texts,
                                               .guess_seconds = parts_[i].guess_seconds,
                                               .replays = q.kv && !q.kv->can_take_back(q.most)});
      const double plain = prices_.of(texts);
      if (parts_[i].computes && plain > 0 && (!worth.guesses || p.losses.too_many(plain))) {
        p.pauses.lost(at);
        p.losses.forget();
        continue;
      }
      if (worth.guesses && worth.gain > gain) {
        best = {i, worth.guesses};
        gain = worth.gain;
      }
    }
    return best;
  }

  static DraftQuestion to_part(const DraftQuestion& q, size_t part, int64_t most) {
    return {branch_of(q).parts()[part].drafts.get(), q.text, most, q.kv, q.next};
  }

  // Returns the seconds that it took.
  double ask(size_t part, std::span<DraftQuestion> questions) {
    if (questions.empty()) return 0;
    Part& p = parts_[part];
    const Clock::time_point begin = Clock::now();
    p.source->guess(questions);
    const double seconds = seconds_between(begin, Clock::now());
    if (!p.computes) return 0;
    size_t most = 1;
    for (const DraftQuestion& q : questions) most = std::max(most, q.guesses.size());
    move_to(p.guess_seconds, seconds / static_cast<double>(most));
    return seconds;
  }

  // The texts of a step share what it costs.
  void give(DraftQuestion& answer, size_t part, std::span<DraftQuestion> questions, int64_t texts,
            double guess_seconds) const {
    const auto at = std::ranges::find_if(
        questions, [&](const DraftQuestion& q) { return branch_of(q).parts()[part].drafts.get() == answer.drafts; });
    const double plain = prices_.of(texts), more = prices_.of(texts * (1 + std::ssize(answer.guesses))) - plain;
    AutoBranch& branch = branch_of(*at);
    branch.parts()[part].tried.drop();
    branch.parts()[part].losses.add((guess_seconds + more) / static_cast<double>(texts), plain);
    branch.answered_by(part, plain / static_cast<double>(texts));
    at->guesses = std::move(answer.guesses);
  }

  void try_guesses(const DraftQuestion& q) {
    for (size_t i = 0; i < parts_.size(); ++i) {
      PartState& p = branch_of(q).parts()[i];
      if (parts_[i].computes || p.tried.begun()) continue;
      DraftQuestion trial = to_part(q, i, kMostTried);
      parts_[i].source->guess({&trial, 1});
      p.tried.begin(std::move(trial.guesses), std::ssize(q.text));
    }
  }

  std::vector<Part> parts_;
  StepPrices prices_;
};

}  // namespace

extern const DraftKind draft_auto;
const DraftKind draft_auto{.name = "auto", .make = [](const DraftMeans& means) -> std::unique_ptr<Drafter> {
                             return std::make_unique<AutoDrafts>(means);
                           }};

}  // namespace skald
