// The frame of decoders whose files may have layers that predict further tokens: an embedding, layers, a norm and logits.
// Gloeckle et al., arXiv 2404.19737; DeepSeek-V3, arXiv 2412.19437, section 2.2.
#pragma once

#include <cstdint>
#include <functional>

#include "models/parts/hparams.h"

namespace skald {

/// Builds layer i, whose names `blk` knows; x (tokens, d_model) -> as x. Layers from DecoderParams::n_layers on predict
/// further tokens.
using DecoderLayer = std::function<Tensor(Net& blk, int64_t i, Tensor x)>;

/// Builds the whole decoder -> logits (outputs, n_vocab). Of a net that looks ahead, it builds a layer that predicts further
/// tokens: a row takes a token and the hidden row of the token before. Throws as Net does for tensors that are missing.
Tensor decoder(Net& net, const DecoderParams& p, const DecoderLayer& layer);

}  // namespace skald
