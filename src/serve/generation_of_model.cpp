// What a model has to say about what a request wants written.
#include <fmt/format.h>

#include "serve/api_error.h"
#include "serve/generation.h"

namespace skald::serve {

void read_generation(const Fields& fields, ServedModel& model, float temperature, const Asker& asker, Generation& out) {
  SamplingParams& sampling = out.request.sampling;
  sampling = model.sampling_defaults(temperature);
  out.request.max_tokens = model.options().n_predict;
  const std::vector<std::string> breakers = read_request(fields, model.model().n_vocab(), asker, out);
  if (sampling.dry_multiplier > 0 && (fields.find("dry_sequence_breakers") || sampling.dry_breakers.empty()))
    sampling.dry_breakers = model.model().dry_breakers(breakers);
}

void check_length(int64_t n_prompt, ServedModel& model, std::string_view field) {
  const int64_t n_ctx = model.engine().n_ctx();
  if (n_prompt < n_ctx) return;
  ApiError e(400,
             fmt::format("the prompt has {} tokens, and the context of {} tokens must hold an answer too", n_prompt, n_ctx),
             std::string(field), "context_length_exceeded");
  e.too_long = {n_prompt, n_ctx};
  throw e;
}

}  // namespace skald::serve
