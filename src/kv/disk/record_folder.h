// RecordFolder: the files of records in a folder that other processes use too, on this machine or another one, and what this
// process knows of them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "kv/disk/private_folder.h"
#include "kv/disk/record_index.h"
#include "skald/prefix_store.h"

namespace skald {

/// The files are all that processes have in common: whole or absent each, and last used when they were changed. Any process
/// may write, use and remove any of them at any time. From any thread; one at a time writes.
class RecordFolder {
 public:
  using Payload = std::vector<std::byte>;
  using Clock = std::chrono::steady_clock;

  /// Throws kDevice naming the folder where it cannot be used. `most_bytes`: of all files.
  RecordFolder(const std::string& path, int64_t most_bytes);

  /// Returns whether it is there. The file of a record that is not known is looked for, at most once a second.
  bool has(const RecordName& name);
  /// Returns whether it was there, without a look at the folder.
  bool knows(const RecordName& name) const;
  /// None where it is not there. A file that is damaged, or that has other tokens, is counted and removed.
  std::optional<Payload> read(const RecordName& name, std::span<const TokenId> tokens);
  /// Makes room, and writes it unless another process has done so. False where it is too large. Throws kDevice.
  bool write(const RecordName& name, std::span<const TokenId> tokens, const Payload& payload);
  void remove(const RecordName& name);
  /// Has it count as absent, whose file is about to be removed.
  void forget(const RecordName& name);

  /// Later than any other use that is known, in nanoseconds since 1970: files keep it when the process ends.
  int64_t next_use();
  /// Has a record that is known count as used then. False where it is not known.
  bool use(const RecordName& name, int64_t used);
  /// Tells other processes of its use.
  void tell_use(const RecordName& name, int64_t used) const;

  /// Looks which records other processes have written and removed, and makes room.
  void look_around();
  /// Returns when to do so next: after half a minute, or when much was written since.
  Clock::time_point next_look() const;

  PrefixStore::Status status() const;

  /// The part of the bytes that a process writes before it looks how many others have written.
  static constexpr int64_t kSlackParts = 32;

 private:
  bool learn(const RecordName& name);
  void forget_all_but(std::vector<RecordName> listed);
  void make_room(int64_t bytes);
  std::optional<RecordIndex::Age> oldest_beyond(int64_t bytes) const;

  PrivateFolder folder_;
  const int64_t most_bytes_;
  mutable std::mutex mutex_;
  RecordIndex index_;
  std::set<RecordName> absent_;  // found so since `absent_from_`
  Clock::time_point absent_from_ = {}, next_look_ = {};
  int64_t last_use_ = 0, written_since_look_ = 0;
  PrefixStore::Status counts_;
};

}  // namespace skald
