// Keys and weights that shapes of some architectures have beside the common ones.
#pragma once

#include <optional>
#include <string_view>

#include "base/meta.h"
#include "tensor/shape.h"

namespace skald {

struct ModelShape;

struct ShapeExtras {
  std::string_view arch;
  /// Sets keys below the architecture, or sets them anew.
  void (*set_keys)(const ModelShape& shape, Meta& meta);
  /// The shape of a weight that files of the architecture may have and these have, by its name without the layer.
  std::optional<Shape> (*optional_weight)(const ModelShape& shape, int64_t layer, std::string_view name);
};

/// Returns null where there is nothing beside the common ones.
const ShapeExtras* find_extras(std::string_view arch);

}  // namespace skald
