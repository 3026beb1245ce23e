#include "serve/fields/lora.h"

#include <fmt/format.h>

#include <limits>

#include "serve/api_error.h"

namespace skald::serve {

std::vector<std::pair<int64_t, float>> read_scales(const Json& list, const std::string& path) {
  constexpr size_t kMost = 256;
  constexpr double kLargest = std::numeric_limits<float>::max();
  if (!list.is_array() || list.size() > kMost)
    refuse_field(path, "a list of up to 256 adapters: [{\"id\": 0, \"scale\": 1}]");
  std::vector<std::pair<int64_t, float>> out;
  for (size_t i = 0; i < list.size(); ++i) {
    const Fields one = Fields::of(list[i], fmt::format("{}[{}]", path, i));
    const auto id = one.integer("id", 0, std::numeric_limits<int32_t>::max());
    const auto scale = one.number("scale", {-kLargest, kLargest});
    if (!id) refuse_field(one.path("id"), "the number of an adapter, as GET /lora-adapters lists them");
    if (!scale) refuse_field(one.path("scale"), "a number");
    out.emplace_back(*id, static_cast<float>(*scale));
  }
  return out;
}

std::vector<LoraUse> read_loras(const Fields& fields, ServedModel& model) {
  if (const Json* list = fields.find("lora")) {
    std::vector<LoraUse> out;
    for (const auto& [id, scale] : read_scales(*list, fields.path("lora"))) {
      const std::optional<Lora> lora = model.loras().with_id(id);
      if (!lora) refuse_field(fields.path("lora"), fmt::format("adapters that there are: {} is none", id));
      if (scale != 0) out.push_back({*lora, scale});
    }
    return out;
  }
  if (const std::optional<Lora> lora = model.loras().named(fields.text("model").value_or(""))) return {{*lora, 1}};
  return model.loras().usual();
}

}  // namespace skald::serve
