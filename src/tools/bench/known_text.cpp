#include "tools/bench/known_text.h"

namespace skald {
namespace {

class KnownPart : public TextDrafter {
 public:
  explicit KnownPart(size_t begin) : begin(begin) {}
  std::unique_ptr<TextDrafter> fork() const override { return std::make_unique<KnownPart>(*this); }
  void judge(int64_t, int64_t) override {}
  double likely(std::span<const TokenId>) override { return 1; }

  size_t begin;  // of what is known, in the text
};

}  // namespace

std::unique_ptr<TextDrafter> KnownText::begin(const Request& request) {
  return std::make_unique<KnownPart>(request.prompt.size());
}

void KnownText::guess(std::span<DraftQuestion> questions) {
  for (DraftQuestion& q : questions) {
    const size_t from = q.text.size() - static_cast<KnownPart&>(*q.drafts).begin;
    for (size_t at = from; at < text_.size() && std::ssize(q.guesses) < q.most; ++at) {
      const bool is_right = rng_.uniform() < right_;
      q.guesses.push_back(is_right ? text_[at] : text_[at] ^ 1);
    }
  }
}

}  // namespace skald
