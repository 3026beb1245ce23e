// RecordStore: where records of pages are kept, by whatever means: a folder, or a server beyond this machine.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "kv/disk/record_name.h"
#include "skald/prefix_store.h"

namespace skald {

/// The store does not answer, or not in its protocol: nothing can be asked of it now.
class StoreDown : public Error {
 public:
  using Error::Error;
};

/// Knows some of its records without asking: what this process wrote, read or looked for. All processes that use one store
/// write the same bits under a name, so that they need no locks.
class RecordStore {
 public:
  using Payload = std::vector<std::byte>;
  using Clock = std::chrono::steady_clock;
  struct Wanted {
    RecordName name;
    std::vector<TokenId> tokens;
  };
  struct Use {
    RecordName name;
    int64_t at;  // nanoseconds since 1970
  };
  /// Takes the payload of wanted record number `i`, in order; none where it is not there.
  using Got = std::function<void(size_t i, std::optional<Payload> payload)>;

  RecordStore() = default;
  virtual ~RecordStore() = default;
  RecordStore(const RecordStore&) = delete;
  RecordStore& operator=(const RecordStore&) = delete;

  // From any thread, without waiting for anything.

  /// Returns its kind ("folder") and how messages call it, without secrets.
  virtual std::string kind() const = 0;
  virtual std::string label() const = 0;
  /// Returns whether it was there when this process last heard of it.
  virtual bool knows(const RecordName& name) const = 0;
  /// Has it count as absent, which is about to be removed.
  virtual void forget(const RecordName& name) = 0;
  /// Later than any other use that is known, in nanoseconds since 1970.
  virtual int64_t next_use() = 0;
  /// Has a record that is known count as used then. False where other processes need not know of it.
  virtual bool use(const RecordName& name, int64_t used) = 0;
  /// Returns whether it can be asked from the start on, without reach().
  virtual bool is_reached() const = 0;
  /// Of records: what was read and written, and what is there.
  virtual PrefixStore::Status status() const = 0;

  // From one thread at a time, which may have to wait. They throw StoreDown.

  /// Connects.
  virtual void reach() = 0;
  /// Learns which of them are there.
  virtual void look(std::span<const RecordName> names) = 0;
  /// A record that is damaged, or that has other tokens, is counted and removed.
  virtual void read(std::span<const Wanted> wanted, const Got& got) = 0;
  /// Writes it unless it is there. False where it has no room. Throws kDevice.
  virtual bool write(const RecordName& name, std::span<const TokenId> tokens, const Payload& payload) = 0;
  virtual void remove(std::span<const RecordName> names) = 0;
  /// Tells other processes of uses.
  virtual void tell_uses(std::span<const Use> uses) = 0;
  /// Looks which records other processes have written and removed, and makes room.
  virtual void look_around() {}
  /// Returns when to do so next.
  virtual Clock::time_point next_look() const { return Clock::now() + std::chrono::hours(1); }
};

}  // namespace skald
