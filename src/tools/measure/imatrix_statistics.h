// Statistics of the inputs of a model's weights, by an importance matrix.
#pragma once

#include <string>
#include <vector>

#include "tools/measure/imatrix_file.h"

namespace skald {

/// Of the mean squares of a weight's inputs, over the columns of those matrices that met rows.
struct ImatrixStatistics {
  std::string name;         // of the weight
  int64_t layer = -1;       // of "blk.<layer>.<tensor>.weight"; -1: of none
  std::string tensor = {};  // "ffn_down"
  int64_t columns = 0;
  double sum = 0, least = 0, most = 0, mean = 0, deviation = 0;
  double active = 0;      // share of columns above 1e-5
  double entropy = 0;     // bits, of the means as a distribution; at most log2(columns)
  double outliers = 0;    // share of columns more than a deviation above the mean
  double similarity = 0;  // cosine with the sums of the same tensor in the layer before; 0: there is none
};

/// Of all entries that met rows, by tensor and then by sum, largest first.
std::vector<ImatrixStatistics> statistics_of(const Imatrix& imatrix);

/// Returns a table of these, and one of means per layer, weighted by columns.
std::string statistics_markdown(const std::vector<ImatrixStatistics>& statistics);

}  // namespace skald
