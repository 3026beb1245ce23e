#include "backend/ranks/orders.h"

#include <vector>

namespace skald {

void Orders::send_locked() {
  if (writer_.bytes().empty()) return;
  const auto size = static_cast<uint64_t>(writer_.bytes().size());
  std::vector<Group::Send> sends;
  for (int rank = 1; rank < group_.size(); ++rank) {
    sends.push_back({rank, std::as_bytes(std::span(&size, 1))});
    sends.push_back({rank, writer_.bytes()});
  }
  group_.exchange(sends, {});
  writer_.clear();
}

std::vector<std::byte> receive_orders(Group& group) {
  uint64_t size = 0;
  const Group::Receive head{0, std::as_writable_bytes(std::span(&size, 1))};
  group.exchange({}, {&head, 1}, Group::Pace::kIdle);
  std::vector<std::byte> bytes(size);
  const Group::Receive body{0, bytes};
  group.exchange({}, {&body, 1});
  return bytes;
}

}  // namespace skald
