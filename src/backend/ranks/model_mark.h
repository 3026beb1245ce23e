// ModelMark: by which ranks find that they have the same program, options, model and file.
#pragma once

#include <string>

#include "comm/bytes.h"
#include "graph/graph.h"
#include "tensor/weight_source.h"

namespace skald {

struct ModelMark {
  std::string version;  // of the program
  std::string options;  // that decide what ranks compute
  std::string graph;    // a sum of the whole one
  std::string weights;  // a sum of them

  /// Says which of them differs from another rank's; empty: none does.
  std::string differs_from(const ModelMark& other) const;
  void write(ByteWriter& to) const;
  static ModelMark read(ByteReader& from);
};

/// `options`: those of the backend and of the cut. `whole`: of the smallest step.
ModelMark mark_of(const std::string& options, const Graph& whole, const WeightSource& weights);

}  // namespace skald
