#include "tensor/device_memory.h"

namespace skald {
void DeviceMemory::copy_all(std::span<const Piece> pieces) {
  for_each_copy(pieces, [this](std::byte* to, const std::byte* from, int64_t bytes) { copy(to, from, bytes); });
}

void DeviceMemory::read_all(std::span<const Piece> pieces) {
  for_each_copy(pieces, [this](std::byte* to, const std::byte* from, int64_t bytes) { read(to, from, bytes); });
}

void DeviceMemory::write_all(std::span<const Piece> pieces) {
  for_each_copy(pieces, [this](std::byte* to, const std::byte* from, int64_t bytes) { write(to, from, bytes); });
}

}  // namespace skald
