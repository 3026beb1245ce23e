#include "graph/expert_load.h"

namespace skald {

int64_t ExpertLoad::add(const TensorView& ids) {
  std::vector<bool> seen(tokens.size());
  int64_t different = 0;
  for (int64_t t = 0; t < ids.rows(); ++t)
    for (int64_t j = 0; j < ids.cols(); ++j) {
      const auto expert = static_cast<size_t>(ids.row<int32_t>(t)[j]);
      ++tokens[expert];
      different += seen[expert] ? 0 : 1;
      seen[expert] = true;
    }
  ++steps;
  read += different;
  return different;
}

}  // namespace skald
