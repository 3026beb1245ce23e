// What Skald does on a machine unless flags say otherwise, and the models that it can run there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "skald/options.h"
#include "tools/doctor/facts.h"

namespace skald {

class LoadedModel;

/// A well-known shape that fits into the memory.
struct FittingModel {
  std::string shape = {}, type = {};  // of the weights
  bool small_cache = false;           // with -ct small; else keys and values are f16
  int64_t bytes = 0;                  // of weights, cache and work
  double most_tokens_per_s = 0;       // that the read speed allows; 0: it was not measured
};

/// The model that was named, by the defaults of skald run.
struct ModelChoice {
  std::string name = {}, type = {};
  int64_t weight_bytes = 0, cache_bytes = 0, work_bytes = 0;  // for all of its context
  int64_t trained = 0, context = 0;                           // tokens; 0: none fits
  int64_t small_context = 0;                                  // the one that fits with -ct small
  bool streams = false;                                       // the weights come from the disk again and again
  double most_tokens_per_s = 0;
};

struct MachineChoice {
  std::string device = "cpu";
  int threads = 1;
  std::string tier = {};
  std::string k_type = {}, v_type = {}, layout = {};  // of the cache
  bool mapped = true;                                 // files of weights are, instead of read
  int64_t context = 0;                                // of `models`
  std::vector<FittingModel> models = {};              // largest first
  std::optional<ModelChoice> model = {};
};

/// `model`: one that writes, which was named; may be null.
MachineChoice choose(const MachineFacts& facts, const LoadedModel* model);

}  // namespace skald
