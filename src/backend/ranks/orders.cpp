#include "backend/ranks/orders.h"

#include <array>
#include <vector>

#include "base/error.h"

namespace skald {
namespace {

using Answer = std::array<char, 1024>;

}  // namespace

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

void Orders::ping() {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  writer_.put(Order::kPing);
  send_locked();
}

void answer(Group& group, const std::string& error) {
  Answer out{};
  error.copy(out.data(), out.size() - 1);
  const Group::Send message{0, std::as_bytes(std::span(out))};
  group.exchange({&message, 1}, {});
}

void want_good_answers(Group& group) {
  std::vector<Answer> answers(static_cast<size_t>(group.size()));
  std::vector<Group::Receive> receives;
  for (int rank = 1; rank < group.size(); ++rank)
    receives.push_back({rank, std::as_writable_bytes(std::span(answers[static_cast<size_t>(rank)]))});
  group.exchange({}, receives, Group::Pace::kLoading);
  for (int rank = 1; rank < group.size(); ++rank)
    if (const char* error = answers[static_cast<size_t>(rank)].data(); *error)
      fail(Errc::kBadInput, "{}: {}", group.name_of(rank), error);
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
