// Guesses by what stands after the same tokens elsewhere: in the text itself, in what its request predicts, in earlier texts
// of its scope, in a file. Saxena, "Prompt Lookup Decoding", 2023.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "engine/drafts/draft_kind.h"
#include "engine/drafts/guess_record.h"
#include "engine/drafts/past_texts.h"
#include "engine/drafts/text_index.h"
#include "loading/loaded_model.h"
#include "text/text_file.h"
#include "text/tokenizer.h"

namespace skald {
namespace {

using Found = PastTexts::Found;

// What other texts give guesses, beside a text itself.
struct OtherTexts {
  TextIndex corpus;
  PastTexts past;
};

// The longer the run of like tokens, the more likely is the next one.
struct MatchClass {
  int64_t least;  // tokens alike
  double likely;  // before any guess was judged
};
constexpr std::array<MatchClass, 3> kClasses = {{{16, 0.9}, {4, 0.6}, {0, 0.3}}};

// A prediction begins where the prompt ends.
TextIndex predicted(const Request& request) {
  TextIndex out;
  if (request.prediction.empty()) return out;
  const std::span<const TokenId> prompt = request.prompt;
  out.append(prompt.last(std::min<size_t>(prompt.size(), TextIndex::kMostMatch)));
  out.append(request.prediction);
  return out;
}

class NgramBranch : public TextDrafter {
 public:
  NgramBranch(OtherTexts& others, const Request& request)
      : others_(&others),
        predicted_(predicted(request)),
        scope_(request.cache_prompt ? std::optional(request.scope) : std::nullopt) {}
  std::unique_ptr<TextDrafter> fork() const override { return std::make_unique<NgramBranch>(*this); }
  void judge(int64_t right, int64_t guessed) override { records_[class_].note(right, guessed); }
  double likely(std::span<const TokenId> text) override {
    const Found found = longest(text);
    return found.in ? records_[class_of(found.match)].likely() : 0;
  }

  void answer(DraftQuestion& question) {
    const Found found = longest(question.text);
    if (!found.in) return;
    class_ = class_of(found.match);
    const int64_t length = std::min(records_[class_].length(), question.most);
    const std::span<const TokenId> tokens = found.in->tokens();
    // A text that repeats itself goes on so beyond its end.
    const bool repeats = found.in == &own_;
    for (int64_t at = found.match.at; at < found.match.at + length; ++at) {
      const int64_t beyond = at - std::ssize(tokens);
      if (beyond >= 0 && !repeats) return;
      question.guesses.push_back(beyond < 0 ? tokens[static_cast<size_t>(at)]
                                            : question.guesses[static_cast<size_t>(beyond)]);
    }
  }

 private:
  static size_t class_of(const TextIndex::Match& match) {
    return static_cast<size_t>(std::ranges::find_if(kClasses, [&](const MatchClass& c) { return match.length >= c.least; }) -
                               kClasses.begin());
  }

  // Of matches of the same length, that of the nearest text.
  Found longest(std::span<const TokenId> text) {
    own_.append(text.subspan(own_.tokens().size()));
    Found best{&own_, own_.find(text)};
    const auto consider = [&](const Found& found) {
      if (found.match.length > best.match.length) best = found;
    };
    consider({&predicted_, predicted_.find(text)});
    if (scope_) consider(others_->past.find(*scope_, text));
    consider({&others_->corpus, others_->corpus.find(text)});
    return best.match.length ? best : Found{};
  }

  OtherTexts* others_;
  TextIndex own_, predicted_;
  std::optional<std::string> scope_;
  std::array<GuessRecord, kClasses.size()> records_{GuessRecord(kClasses[0].likely), GuessRecord(kClasses[1].likely),
                                                    GuessRecord(kClasses[2].likely)};
  size_t class_ = 0;  // of the last answer
};

class NgramDrafts : public Drafter {
 public:
  explicit NgramDrafts(const DraftMeans& means) {
    const std::string& file = means.options.draft.corpus;
    if (file.empty()) return;
    const Tokenizer* const tokenizer = means.model->find_tokenizer();
    if (!tokenizer) fail(Errc::kUnsupported, "draft.corpus: this model has no tokenizer");
    others_.corpus.append(tokenizer->encode(read_text_file(file), {}));
  }
  std::unique_ptr<TextDrafter> begin(const Request& request) override {
    return std::make_unique<NgramBranch>(others_, request);
  }
  void guess(std::span<DraftQuestion> questions) override {
    for (DraftQuestion& question : questions) static_cast<NgramBranch&>(*question.drafts).answer(question);
  }
  void ended(const Request& request, std::span<const TokenId> text) override {
    if (request.cache_prompt) others_.past.add(request.scope, text);
  }

 private:
  OtherTexts others_;
};

}  // namespace

extern const DraftKind draft_ngram;
const DraftKind draft_ngram{
    .name = "ngram",
    .make = [](const DraftMeans& means) -> std::unique_ptr<Drafter> { return std::make_unique<NgramDrafts>(means); },
    .fits = [](const DraftMeans&) { return true; },
    .computes = false};

}  // namespace skald
