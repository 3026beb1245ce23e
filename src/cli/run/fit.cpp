#include "cli/run/fit.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size_text.h"
#include "cli/terminal/tell.h"
#include "stepping/memory_need.h"
#include "tools/report/table.h"

namespace skald {
namespace {

std::string need_text(const FittingContext& fit, int64_t n_ctx, int64_t memory) {
  const MemoryNeed& need = fit.need;
  const std::string weights =
      need.weights && !fit.streams ? fmt::format("the weights take {}, ", size_text(need.weights)) : "";
  return fmt::format("{}a cache of {} tokens {} and steps {}; there are {}", weights, in_thousands(n_ctx),
                     size_text(need.cache), size_text(need.work), size_text(memory));
}

}  // namespace

std::optional<std::string> shorten_context(EngineOptions& options, const Model& model, bool asked) {
  EngineOptions wanted = options;
  if (!wanted.cache.n_ctx) wanted.cache.n_ctx = model.n_ctx_train();
  const int64_t memory = available_memory(), n_ctx = wanted.cache.n_ctx;
  const FittingContext fit = fitting_context(*model.loaded(), wanted, memory);
  if (fit.streams)
    tell(fmt::format("the weights take {}, and there are {}: they come from the disk again and again, which is slow",
                     size_text(fit.need.weights), size_text(memory)));
  if (fit.n_ctx == n_ctx) return {};
  const StaticParams& shapes = options.cache.static_shapes;
  const std::string why = need_text(fit, shapes.on() ? shapes.context : n_ctx, memory);
  if (!fit.n_ctx || shapes.on()) fail(Errc::kNoMemory, "there is not enough memory: {}", why);
  if (asked) fail(Errc::kNoMemory, "--ctx-size (-c): {}; a context of {} fits", why, in_thousands(fit.n_ctx));
  options.cache.n_ctx = fit.n_ctx;
  return why;
}

void fit_context(EngineOptions& options, const Model& model, bool asked) {
  if (const auto why = shorten_context(options, model, asked))
    tell(fmt::format("a context of {} tokens, which fits: {}", in_thousands(options.cache.n_ctx), *why));
}

std::string context_line(int64_t n_ctx, int64_t n_ctx_train, bool asked, const std::optional<std::string>& shortened) {
  const std::string n = in_thousands(n_ctx), all = in_thousands(n_ctx_train);
  if (shortened)
    return fmt::format("context {} of the model's {} tokens: what fits into the memory ({})", n, all, *shortened);
  if (n_ctx == n_ctx_train) return fmt::format("context {} tokens: {}", n, asked ? "as -c says" : "all of the model's");
  if (n_ctx > n_ctx_train) return fmt::format("context {} tokens, more than the model's {}: as -c says", n, all);
  if (asked) return fmt::format("context {} of the model's {} tokens: as -c says", n, all);
  return fmt::format("context {} of the model's {} tokens: most chats need no more, and -c sets another", n, all);
}

}  // namespace skald
