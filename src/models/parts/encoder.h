// Shared by encoders: models that read a text in both directions and give its states.
#pragma once

#include "models/parts/hparams.h"

namespace skald {

/// All tokens see each other. Throws kUnsupported for a file that says otherwise (attention.causal).
void see_all(Net& net, const MetaView& m);

/// Returns a window to both sides: the keys at most size / 2 away.
constexpr KeyWindow around(KeyWindow window) { return {.size = window.size, .around = window.size > 0}; }

/// BERT's embeddings: the sum of the token's, its place's in a pair of texts and, where the file has such, its position's,
/// normed: -> (tokens, d_model).
Tensor bert_embeddings(Net& net, const DecoderParams& p);

/// Builds the rest of a layer of BERT after its attention, with the norms after the blocks (attn_output_norm,
/// layer_output_norm). It takes x (tokens, d_model), attention's result, and ffn(h) of the tokens between.
template <class Ffn>
Tensor post_norm_layer(Net& blk, Tensor x, Tensor attended, float eps, Ffn ffn) {
  x = blk.layer_norm("attn_output_norm", x + attended, eps);
  return blk.layer_norm("layer_output_norm", x + ffn(x), eps);
}

}  // namespace skald
