// Guesses by the text itself: what followed its last tokens where they stood before. Saxena, "Prompt Lookup Decoding", 2023.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "engine/drafts/draft_source.h"

namespace skald {
namespace {

constexpr int64_t kFirstLength = 4;
constexpr std::array<int64_t, 2> kGrams = {4, 2};  // tokens that must be the same, the longer ones first

uint64_t hash_of(std::span<const TokenId> tokens) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const TokenId token : tokens) hash = (hash ^ static_cast<uint64_t>(token)) * 0x100000001b3;
  return hash;
}

// Where runs of n tokens stood last: the place after them.
class GramIndex {
 public:
  explicit GramIndex(int64_t n) : n_(n) {}

  /// The last place before the text's end after tokens like its last ones; 0: there is none. Learns the text's end.
  int64_t find(std::span<const TokenId> text) {
    const int64_t end = std::ssize(text);
    for (int64_t at = std::max(read_ + 1, n_); at < end; ++at) places_[hash_of(gram(text, at))] = at;
    read_ = std::max(read_, end - 1);
    if (end < n_) return 0;
    const auto there = places_.find(hash_of(gram(text, end)));
    if (there == places_.end() || there->second >= end) return 0;
    return std::ranges::equal(gram(text, there->second), gram(text, end)) ? there->second : 0;
  }

 private:
  std::span<const TokenId> gram(std::span<const TokenId> text, int64_t end) const {
    return text.subspan(static_cast<size_t>(end - n_), static_cast<size_t>(n_));
  }

  int64_t n_, read_ = 0;
  std::unordered_map<uint64_t, int64_t> places_;
};

class NgramBranch : public BranchDrafts {
 public:
  std::unique_ptr<BranchDrafts> fork() const override { return std::make_unique<NgramBranch>(*this); }

  void judge(int64_t right, int64_t guessed) override {
    length_ = right == guessed ? std::max(length_, 2 * guessed) : right + 1;
  }

  void answer(DraftQuestion& question) {
    const int64_t length = std::min(length_, question.most);
    int64_t from = 0;
    for (GramIndex& index : indices_)
      if (const int64_t at = index.find(question.text); from == 0) from = at;
    if (from == 0) return;
    // A text that repeats itself goes on so beyond its end.
    const int64_t end = std::ssize(question.text);
    for (int64_t at = from; at < from + length; ++at)
      question.guesses.push_back(at < end ? question.text[static_cast<size_t>(at)]
                                          : question.guesses[static_cast<size_t>(at - end)]);
  }

 private:
  std::array<GramIndex, kGrams.size()> indices_{GramIndex(kGrams[0]), GramIndex(kGrams[1])};
  int64_t length_ = kFirstLength;
};

class NgramDrafts : public DraftSource {
 public:
  explicit NgramDrafts(int64_t most) : most_(most) {}
  std::unique_ptr<BranchDrafts> begin(const Request&) override { return std::make_unique<NgramBranch>(); }
  void guess(std::span<DraftQuestion> questions) override {
    for (DraftQuestion& question : questions) {
      question.most = std::min(question.most, most_);
      static_cast<NgramBranch&>(*question.drafts).answer(question);
    }
  }

 private:
  int64_t most_;
};

}  // namespace

extern const DraftKind draft_ngram;
const DraftKind draft_ngram{"ngram", [](const DraftMeans& means) -> std::unique_ptr<DraftSource> {
                              return std::make_unique<NgramDrafts>(means.options.draft.most);
                            }};

}  // namespace skald
