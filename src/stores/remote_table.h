// RemoteTable: bytes by name on a server: what kinds of remote stores differ in.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace skald {

/// How long a server may take, for the thread that asks: requests wait less.
struct RemoteTimes {
  std::chrono::milliseconds connect{2000}, operation{10'000};
};

/// Who sees to it that the server does not fill up.
struct RemoteRoom {
  bool bounded = false;  // the server removes what was not used lately by itself, or the store knows its limit
  std::string how = {};  // in words
  int64_t used = 0;      // bytes that the server holds, 0: unknown
};

/// Used by one thread at a time, but for what is const. All but these throw StoreDown where the server does not do what it
/// is asked.
class RemoteTable {
 public:
  using Bytes = std::vector<std::byte>;
  /// Takes the bytes of name number `i`, in order.
  using Got = std::function<void(size_t i, std::optional<Bytes> bytes)>;
  enum class Put : uint8_t { kWritten, kThere, kNoRoom };

  RemoteTable() = default;
  virtual ~RemoteTable() = default;
  RemoteTable(const RemoteTable&) = delete;
  RemoteTable& operator=(const RemoteTable&) = delete;

  virtual std::string kind() const = 0;
  /// Returns the address, without user and password.
  virtual std::string label() const = 0;
  /// Returns the longest value that the server takes.
  virtual int64_t most_bytes() const = 0;
  /// Returns how often a use of the same name is worth telling.
  virtual std::chrono::seconds use_every() const = 0;

  /// Connects, and shows that the server lets us in.
  virtual void reach() = 0;
  virtual RemoteRoom room() = 0;
  virtual std::vector<bool> has(std::span<const std::string> names) = 0;
  virtual void get(std::span<const std::string> names, const Got& got) = 0;
  /// Writes the pieces, one after the other, as one value, unless the name is there.
  virtual Put put(const std::string& name, std::span<const std::byte> first, std::span<const std::byte> second) = 0;
  virtual void remove(std::span<const std::string> names) = 0;
  /// They were used just now. Returns which of them are there.
  virtual std::vector<bool> touch(std::span<const std::string> names) = 0;
};

}  // namespace skald
