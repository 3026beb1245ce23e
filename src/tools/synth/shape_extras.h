// What shapes of some architectures have beside the keys and weights that are common to all.
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

/// Null where there is nothing beside what is common.
const ShapeExtras* find_extras(std::string_view arch);

}  // namespace skald
