// Speculative prefill: computes the beginning of an answered chat's next turn.
#include <utility>

#include "base/log.h"
#include "kernels/api/kv_page.h"
#include "serve/run/generation.h"
#include "serve/service.h"

namespace skald::serve {

// The beginning of a next turn is computed when no request needs the engine. A next turn takes keys of prompts only, so that
// generated tokens are computed again, as a part of one.
void Generation::prefill_next_turn() {
  const ServeOptions& options = service_.options();
  const FinishReason why = answer_.choices.front().finish;
  const bool ended = why == FinishReason::kEnd || why == FinishReason::kStop;
  if (!ended || gone_ || !options.read_ahead || options.reuse_generated || !options.engine.cache.share_prefixes ||
      !what_.request.cache_prompt || answer_.choices.size() > 1 || service_.draining())
    return;
  Request ahead;
  ahead.scope = what_.request.scope;
  ahead.loras = what_.request.loras;
  ahead.read_ahead = true;
  ahead.reuse_generated = false;
  if (!what_.next_turn) {
    ahead.prompt = what_.prompts.front();
    const std::vector<TokenId>& said = answer_.choices.front().said.tokens;
    ahead.prompt.insert(ahead.prompt.end(), said.begin(), said.end());
  }
  service_.workers().post(
      {.run =
           [model = model_, next = what_.next_turn, reply = answer_.choices.front().reply, ahead]() mutable {
             try {
               if (next) ahead.prompt = next(reply);
               if (std::ssize(ahead.prompt) > kPageKeys && std::ssize(ahead.prompt) < model->engine().n_ctx())
                 model->engine().submit(std::move(ahead));
             } catch (const std::exception& e) {
               log(LogLevel::kInfo, "serve: nothing is read ahead: {}", e.what());
             }
           },
       .client = context_->client()});
}

}  // namespace skald::serve
