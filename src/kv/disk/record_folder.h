// RecordFolder: the files of records in a folder that other processes use too, on this machine or another one, and what this
// process knows of them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kv/disk/private_folder.h"
#include "kv/disk/record_index.h"
#include "kv/disk/record_store.h"
#include "skald/prefix_store.h"

namespace skald {

/// The files are all that processes have in common: whole or absent each, and last used when they were changed. Any process
/// may write, use and remove any of them at any time.
class RecordFolder final : public RecordStore {
 public:
  /// Throws kDevice naming the folder where it cannot be used. `most_bytes`: of all files.
  RecordFolder(const std::string& path, int64_t most_bytes);

  std::string kind() const override { return "folder"; }
  std::string label() const override { return folder_.path(); }
  bool knows(const RecordName& name) const override;
  void forget(const RecordName& name) override;
  int64_t next_use() override;
  bool use(const RecordName& name, int64_t used) override;
  bool is_reached() const override { return true; }
  PrefixStore::Status status() const override;

  void reach() override {}
  void look(std::span<const RecordName> names) override;
  void read(std::span<const Wanted> wanted, const Got& got) override;
  bool write(const RecordName& name, std::span<const TokenId> tokens, const Payload& payload) override;
  void remove(std::span<const RecordName> names) override;
  /// By the times of files, which keep them when the process ends.
  void tell_uses(std::span<const Use> uses) override;
  void look_around() override;
  /// Returns when to do so next: after half a minute, or when much was written since.
  Clock::time_point next_look() const override;

  /// The part of the bytes that a process writes before it looks how many others have written.
  static constexpr int64_t kSlackParts = 32;

 private:
  bool learn(const RecordName& name);
  std::optional<Payload> read(const Wanted& wanted);
  void forget_all_but(std::vector<RecordName> listed);
  void make_room(int64_t bytes);
  std::optional<RecordIndex::Age> oldest_beyond(int64_t bytes) const;

  PrivateFolder folder_;
  const int64_t most_bytes_;
  mutable std::mutex mutex_;
  RecordIndex index_;
  Clock::time_point next_look_ = {};
  int64_t last_use_ = 0, written_since_look_ = 0;
  PrefixStore::Status counts_;
};

}  // namespace skald
