#include "backend/step_values.h"

#include <algorithm>

#include "base/error.h"

namespace skald {

const StepOutput& StepOutputs::at(std::string_view name) const {
  const auto at = std::ranges::find(all_, name, &StepOutput::name);
  if (at == all_.end()) fail(Errc::kInternal, "the graph gives no value of the name {}", name);
  return *at;
}

}  // namespace skald
