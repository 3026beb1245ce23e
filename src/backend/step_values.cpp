#include "backend/step_values.h"

#include <algorithm>

#include "base/error.h"

namespace skald {

const TensorView& StepOutputs::at(std::string_view name) const {
  const auto at = std::ranges::find(values_, name, &Value::name);
  if (at == values_.end()) fail(Errc::kInternal, "the graph gives no value of the name {}", name);
  return at->view;
}

}  // namespace skald
