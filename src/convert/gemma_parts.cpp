#include "convert/gemma_parts.h"

#include <fmt/format.h>

#include "base/error.h"
#include "convert/layer_keys.h"

namespace skald {

void small_gemma_keys(const HfConfig& c, Hyperparameters& out) {
  const int64_t shared = c.i64("num_kv_shared_layers", 0);
  if (shared >= c.n_layers())
    fail(Errc::kBadFile, "config.json: num_kv_shared_layers: {} of {} layers", shared, c.n_layers());
  decoder_keys(c, out);
  local_rope_keys(c, out, c.d_head());
  window_keys(c, out, window_layers(c, 6));
  out.size("attention.shared_kv_layers", shared);
  out.size("embedding_length_per_layer_input", c.i64("hidden_size_per_layer_input", 0));
  if (c.has("final_logit_softcapping")) out.number("final_logit_softcapping", c.f32("final_logit_softcapping"));
  for (int64_t i = c.n_layers() - shared; i < c.n_layers(); ++i)
    for (const char* what : {"k_proj", "v_proj", "k_norm"})
      out.leave_out(fmt::format("*layers.{}.self_attn.{}.weight", i, what));
}

}  // namespace skald
