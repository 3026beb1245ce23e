// BodyBudget: how many bytes of bodies all clients together may have held: of requests until they are read, of answers until
// they are sent. One client has as many as it leaves for others.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace skald::serve {

/// Any thread may use it.
class BodyBudget {
 public:
  explicit BodyBudget(int64_t most) : most_(most) {}

  /// Returns whether the client may have `more` bytes beyond those that it has.
  bool has_room(const std::string& client, int64_t more) const;
  int64_t held() const;
  /// Returns whether all bodies hold more bytes than they may, or the client more than it leaves for others.
  bool is_over() const;
  bool is_over(const std::string& client) const;

 private:
  friend class HeldBytes;
  void add(const std::string& client, int64_t bytes);  // may be negative

  const int64_t most_;
  mutable std::mutex mutex_;
  int64_t all_ = 0;
  std::map<std::string, int64_t, std::less<>> of_clients_;  // that have some
};

/// Bytes that one thing holds, given back when it goes. For one thread at a time.
class HeldBytes {
 public:
  HeldBytes() = default;  // of no budget: holds any number
  HeldBytes(std::shared_ptr<BodyBudget> budget, std::string client)
      : budget_(std::move(budget)), client_(std::move(client)) {}
  HeldBytes(HeldBytes&& other) noexcept;
  HeldBytes& operator=(HeldBytes&& other) noexcept;
  ~HeldBytes() { set(0); }

  const std::string& client() const { return client_; }
  int64_t bytes() const { return bytes_; }
  /// False, and nothing is changed, where there is no room for more.
  bool try_set(int64_t bytes);
  /// Whether there is room or not.
  void set(int64_t bytes);
  /// They are another client's from now on.
  void give_to(const std::string& client);
  /// Hands `bytes` of them over.
  HeldBytes split(int64_t bytes);

 private:
  std::shared_ptr<BodyBudget> budget_ = nullptr;
  std::string client_ = {};
  int64_t bytes_ = 0;
};

}  // namespace skald::serve
