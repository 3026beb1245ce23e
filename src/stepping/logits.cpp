#include "stepping/logits.h"

#include <algorithm>

namespace skald {

Logits::Logits(const TensorView& device, DeviceMemory& memory)
    : rows_(device.rows()), cols_(device.cols()), step_(device.row_step()), data_(device.as<float>()) {
  if (memory.host_visible()) return;
  copy_.resize(static_cast<size_t>(rows_ * step_));
  memory.read(reinterpret_cast<std::byte*>(copy_.data()), device.data, rows_ * device.row_stride());
}

TokenId Logits::argmax(int64_t i) const { return static_cast<TokenId>(std::max_element(row(i), row(i) + cols_) - row(i)); }

}  // namespace skald
