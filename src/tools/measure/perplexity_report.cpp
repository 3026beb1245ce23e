#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/measure/perplexity.h"
#include "tools/report/table.h"

namespace skald {

std::string perplexity_markdown(const PerplexityResult& r) {
  return fmt::format("PPL = {:.4f} +/- {:.5f}\n", r.perplexity(), r.error());
}

std::string perplexity_json(const PerplexityResult& r) {
  return nlohmann::ordered_json{{"model", r.model},
                                {"type", r.type},
                                {"n_ctx", r.n_ctx},
                                {"stride", r.stride},
                                {"chunks", r.chunks},
                                {"tokens", r.loss.count()},
                                {"loss", r.loss.mean()},
                                {"loss_error", r.loss.error()},
                                {"perplexity", r.perplexity()},
                                {"perplexity_error", r.error()},
                                {"sparq_read", r.sparq.use.share()}}
             .dump(2) +
         "\n";
}

std::string perplexity_csv(const PerplexityResult& r) {
  return Table{
      {"model", "type", "n_ctx", "stride", "chunks", "tokens", "loss", "loss_error", "perplexity", "perplexity_error"},
      {{r.model, r.type, std::to_string(r.n_ctx), std::to_string(r.stride), std::to_string(r.chunks),
        std::to_string(r.loss.count()), fmt::format("{:.8f}", r.loss.mean()), fmt::format("{:.8f}", r.loss.error()),
        fmt::format("{:.6f}", r.perplexity()), fmt::format("{:.6f}", r.error())}}}
      .csv();
}

}  // namespace skald
