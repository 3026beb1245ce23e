#include "tensor/device_memory.h"

namespace skald {
namespace {

template <class Copy>
void for_copies(std::span<const DeviceMemory::Piece> pieces, Copy copy) {
  for (const DeviceMemory::Piece& p : pieces)
    for (int64_t i = 0; i < p.count; ++i) copy(p.to + i * p.to_step, p.from + i * p.from_step, p.bytes);
}

}  // namespace

void DeviceMemory::copy_all(std::span<const Piece> pieces) {
  for_copies(pieces, [this](std::byte* to, const std::byte* from, int64_t bytes) { copy(to, from, bytes); });
}

void DeviceMemory::read_all(std::span<const Piece> pieces) {
  for_copies(pieces, [this](std::byte* to, const std::byte* from, int64_t bytes) { read(to, from, bytes); });
}

void DeviceMemory::write_all(std::span<const Piece> pieces) {
  for_copies(pieces, [this](std::byte* to, const std::byte* from, int64_t bytes) { write(to, from, bytes); });
}

}  // namespace skald
