#include "serve/fields/llama.h"

namespace skald::serve {

LlamaWriter::Wants read_llama(const Fields& fields, ServedModel& model, const Asker& asker, GenerationRequest& out) {
  constexpr int64_t kMostProbs = 20;
  read_generation(fields, model, kLlamaTemperature, asker, out);
  read_stream(fields, false, out);
  read_progress(fields, out);
  read_choices(fields, out);
  if (const auto probs = fields.integer("n_probs", 0, kMostProbs); probs && *probs > 0)
    out.top_log_probs = static_cast<int>(*probs);
  out.return_tokens = fields.flag("return_tokens").value_or(false);
  return {.timings_per_token = fields.flag("timings_per_token").value_or(false)};
}

}  // namespace skald::serve
