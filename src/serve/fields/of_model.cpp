// What a model has to say about what a request wants written.
#include "serve/api_error.h"
#include "serve/fields/generation_request.h"
#include "serve/fields/lora.h"

namespace skald::serve {

void read_generation(const Fields& fields, ServedModel& model, float temperature, const Asker& asker,
                     GenerationRequest& out) {
  SamplingParams& sampling = out.request.sampling;
  sampling = model.sampling_defaults(temperature);
  out.request.max_tokens = model.options().n_predict;
  out.request.loras = read_loras(fields, model);
  const std::vector<std::string> breakers = read_request(fields, model.model().n_vocab(), asker, out);
  if (sampling.dry_multiplier > 0 && (fields.find("dry_sequence_breakers") || sampling.dry_breakers.empty()))
    sampling.dry_breakers = model.model().dry_breakers(breakers);
}

void check_length(int64_t n_prompt, ServedModel& model, std::string_view field) {
  const int64_t n_ctx = model.engine().n_ctx();
  if (n_prompt < n_ctx) return;
  // The context must hold a token of the answer too.
  throw too_long(field, {n_prompt, n_ctx, n_prompt > n_ctx ? n_ctx : n_ctx - 1});
}

}  // namespace skald::serve
