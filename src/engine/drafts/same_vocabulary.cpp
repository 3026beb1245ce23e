#include "engine/drafts/same_vocabulary.h"

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "text/tokenizer.h"

namespace skald {
namespace {

constexpr int64_t kMostPadding = 256;  // tokens; Qwen2.5's sizes differ by 128

}  // namespace

void check_same_vocabulary(const LoadedModel& model, const LoadedModel& draft) {
  const int64_t n = model.n_vocab(), m = draft.n_vocab();
  const Tokenizer *const ours = model.find_tokenizer(), *const theirs = draft.find_tokenizer();
  if (n != m && (std::abs(n - m) > kMostPadding || !ours || !theirs))
    fail(Errc::kUnsupported, "draft.model: its vocabulary has {} tokens, and the model's {}", m, n);
  if (!ours || !theirs) return;
  const std::vector<std::string>&a = ours->vocab().pieces, &b = theirs->vocab().pieces;
  const auto shorter = static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
  const auto at = std::mismatch(a.begin(), a.begin() + shorter, b.begin()).first;
  if (at != a.begin() + shorter)
    fail(Errc::kUnsupported, "draft.model: its vocabulary differs: token {} is '{}', and the model's '{}'", at - a.begin(),
         b[static_cast<size_t>(at - a.begin())], *at);
}

}  // namespace skald
