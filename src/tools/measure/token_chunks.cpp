#include "tools/measure/token_chunks.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "text/tokenizer.h"

namespace skald {
namespace {

constexpr int64_t kLeastContext = 3;  // its second half predicts one token
constexpr int64_t kMostContext = int64_t{1} << 30;

}  // namespace

void ChunkOptions::check() const {
  if (n_ctx < kLeastContext || n_ctx > kMostContext)
    fail(Errc::kBadInput, "chunks.n_ctx: want {} to {}, not {}", kLeastContext, kMostContext, n_ctx);
  if (stride < 0 || stride >= n_ctx)
    fail(Errc::kBadInput, "chunks.stride: want 0 (none) to {}, below the context, not {}", n_ctx - 1, stride);
  if (most < -1 || most == 0) fail(Errc::kBadInput, "chunks.most: want -1 (all) or at least 1, not {}", most);
}

std::vector<TokenId> TokenChunks::window(int64_t chunk) const {
  const auto begin = tokens.begin() + chunk * step;
  std::vector<TokenId> out(begin, begin + n_ctx);
  if (bos) out.front() = *bos;
  return out;
}

TokenChunks cut_tokens(std::vector<TokenId> tokens, std::optional<TokenId> bos, const ChunkOptions& options) {
  options.check();
  const auto n = static_cast<int64_t>(tokens.size());
  const int64_t n_ctx = options.n_ctx, stride = options.stride, need = n_ctx + (stride ? 1 : 0);
  if (n < need) fail(Errc::kBadInput, "the text has {} tokens, but a context of {} needs at least {}", n, n_ctx, need);
  const int64_t all = stride ? ceil_div(n - n_ctx, stride) : n / n_ctx;
  return {.tokens = std::move(tokens),
          .n_ctx = n_ctx,
          .step = stride ? stride : n_ctx,
          .count = options.most < 0 ? all : std::min(options.most, all),
          .first = stride ? n_ctx - 1 - stride : n_ctx / 2,
          .bos = bos};
}

std::optional<TokenId> added_bos(const LoadedModel& model) {
  const Tokenizer* const tokenizer = model.find_tokenizer();
  return tokenizer && tokenizer->vocab().add_bos ? tokenizer->vocab().bos : std::nullopt;
}

}  // namespace skald
