#include "backend/step_values.h"

#include <algorithm>

#include "base/error.h"

namespace skald {

const std::byte* step_input(const Node& node, std::span<const StepValue> values) {
  const auto value = std::ranges::find(values, std::string_view(node.name), &StepValue::name);
  if (value == values.end()) fail(Errc::kInternal, "the step brings no value for the input {}", node.name);
  if (node.out.format != (value->data.index() == 0 ? &format_i32 : &format_f32))
    fail(Errc::kInternal, "the input {} takes values of the type {}", node.name, node.out.format->name);
  return std::visit([](const auto* data) { return reinterpret_cast<const std::byte*>(data); }, value->data);
}

const StepOutput& StepOutputs::at(std::string_view name) const {
  const auto at = std::ranges::find(all_, name, &StepOutput::name);
  if (at == all_.end()) fail(Errc::kInternal, "the graph gives no value of the name {}", name);
  return *at;
}

}  // namespace skald
