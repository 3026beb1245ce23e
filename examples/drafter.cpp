// Adds a drafter of its own to an engine: it knows a text by heart and guesses that an answer goes on like it.
// drafter [model.gguf]: without a file it uses the story model that is part of the library.
#include <skald/skald.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>

namespace {

using Tokens = std::vector<skald::TokenId>;

// What is known of one answer: where it begins.
class Recitation : public skald::TextDrafter {
 public:
  Recitation(const Tokens& known, size_t begin) : known_(known), begin_(begin) {}
  std::unique_ptr<skald::TextDrafter> fork() const override { return std::make_unique<Recitation>(*this); }
  void judge(int64_t right, int64_t guessed) override { agrees_ = agrees_ && right == guessed; }
  double likely(std::span<const skald::TokenId> text) override { return rest(text).empty() ? 0 : 0.9; }

  // Answers that have left the known text get no more guesses.
  std::span<const skald::TokenId> rest(std::span<const skald::TokenId> text) const {
    const size_t written = std::min(text.size() - begin_, known_.size());
    return agrees_ ? std::span(known_).subspan(written) : std::span<const skald::TokenId>();
  }

 private:
  const Tokens& known_;
  size_t begin_;
  bool agrees_ = true;
};

class Reciter : public skald::Drafter {
 public:
  explicit Reciter(Tokens known) : known_(std::move(known)) {}
  std::unique_ptr<skald::TextDrafter> begin(const skald::Request& request) override {
    return std::make_unique<Recitation>(known_, request.prompt.size());
  }
  void guess(std::span<skald::DraftQuestion> questions) override {
    for (skald::DraftQuestion& q : questions) {
      const auto rest = static_cast<Recitation&>(*q.drafts).rest(q.text);
      const size_t n = std::min(rest.size(), static_cast<size_t>(q.most));
      q.guesses.assign(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(n));
    }
  }

 private:
  Tokens known_;
};

skald::Result tell(const skald::Model& model, const skald::EngineOptions& options) {
  skald::Request request{.prompt = model.tokenize("Once upon a time"), .max_tokens = 64, .ignore_eos = true};
  request.sampling.temperature = 0;
  return skald::Engine(model, options).generate(std::move(request));
}

}  // namespace

int main(int argc, char** argv) try {
  const skald::Model model = argc > 1 ? skald::Model::load(argv[1]) : skald::Model::embedded();
  const skald::Result story = tell(model, {});
  const skald::Result again = tell(model, {.drafter = std::make_shared<Reciter>(story.tokens)});
  const skald::DraftUse& drafts = again.timing.drafts;
  std::cout << again.text << "\n\n"
            << (again.tokens == story.tokens ? "the same text" : "another text") << ", " << drafts.right << " of "
            << drafts.guessed << " guesses were right\n";
} catch (const skald::Error& e) {
  std::cerr << e.what() << "\n";
  return 1;
}
