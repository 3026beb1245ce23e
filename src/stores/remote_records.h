// RemoteRecords: records in a table of a server, as the same bytes that files of a folder have.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "kv/disk/record_store.h"
#include "stores/remote_table.h"

namespace skald {

/// What comes back is checked bit by bit: the server need not be trusted with it, but for keeping it to itself.
class RemoteRecords final : public RecordStore {
 public:
  explicit RemoteRecords(std::unique_ptr<RemoteTable> table);

  std::string kind() const override { return table_->kind(); }
  std::string label() const override { return table_->label(); }
  bool knows(const RecordName& name) const override;
  void forget(const RecordName& name) override;
  int64_t next_use() override;
  bool use(const RecordName& name, int64_t used) override;
  bool is_reached() const override { return false; }
  PrefixStore::Status status() const override;

  void reach() override { table_->reach(); }
  void look(std::span<const RecordName> names) override;
  void read(std::span<const Wanted> wanted, const Got& got) override;
  bool write(const RecordName& name, std::span<const TokenId> tokens, const Payload& payload) override;
  void remove(std::span<const RecordName> names) override;
  void tell_uses(std::span<const Use> uses) override;

  /// Names that are remembered; beyond, all are forgotten and looked for again.
  static constexpr size_t kMostKnown = size_t{1} << 18;

 private:
  void know(const RecordName& name, bool there);
  void know(std::span<const RecordName> names, const std::vector<bool>& there);
  std::optional<Payload> checked(const Wanted& wanted, std::optional<RemoteTable::Bytes> bytes,
                                 std::vector<RecordName>& damaged);
  void tell_once(bool& told, const std::string& message) const;

  const std::unique_ptr<RemoteTable> table_;
  mutable std::mutex mutex_;
  std::unordered_map<RecordName, int64_t, RecordNameHash> known_;  // when others were told of a use
  int64_t last_use_ = 0;
  PrefixStore::Status counts_;
  bool told_size_ = false, told_room_ = false;
};

}  // namespace skald
