// Keys of configurations of each layer: its kind of attention and of feed-forward.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "convert/hyperparameters.h"

namespace skald {

/// Returns the kind of each layer, by transformers' names: the list under `key`; empty where there is none. Throws kBadFile
/// for another number of them than of layers, kUnsupported naming a kind that is not `known`.
std::vector<std::string> layer_kinds(const HfConfig& c, std::span<const std::string_view> known,
                                     const ConfigKeys& key = "layer_types");
/// Returns which layers are of this kind.
std::vector<bool> layers_that_are(const std::vector<std::string>& kinds, std::string_view kind);

/// Returns the layers whose attention has a window: by layer_types, else by sliding_window_pattern or another key of that
/// meaning. Such a key has a period, or letters "LLLG". Without one: all but the last of each `period` layers.
std::vector<bool> window_layers(const HfConfig& c, int64_t period);

/// Returns whether the configuration has a window and does not switch it off.
bool has_window(const HfConfig& c);

/// attention.sliding_window and attention.sliding_window_pattern; without a window, no layer has one.
void window_keys(const HfConfig& c, Hyperparameters& out, std::vector<bool> layers);

/// Returns a number for each layer that has one of these flags, 0 for the others.
std::vector<int64_t> where(const std::vector<bool>& layers, int64_t number);

/// Returns how many layers in front have a dense feed-forward: by mlp_layer_types, else by first_k_dense_replace and the
/// like, else `usual`. Throws kUnsupported where dense layers follow others.
int64_t dense_layers(const HfConfig& c, int64_t usual);

/// Notes the layers that predict further tokens. `first`: the number of the first, where they are numbered after the
/// model's layers.
void note_layers_ahead(const HfConfig& c, Hyperparameters& out, int64_t first);
void note_layers_ahead(const HfConfig& c, Hyperparameters& out);

}  // namespace skald
