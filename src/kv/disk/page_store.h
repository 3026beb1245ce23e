// PageStore: the disk tier of the prefix cache: records in a folder, written and read by a thread of its own.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kv/disk/private_folder.h"
#include "kv/disk/record_index.h"
#include "skald/prefix_store.h"

namespace skald {

/// Several engines may use one, from any thread. There is no state but the files, each of which is whole or absent: nothing
/// is lost when the process dies but what was not written yet. What is damaged, or was written for something else, counts as
/// absent, is counted, and is removed.
class PageStore {
 public:
  using Payload = std::vector<std::byte>;
  /// On the store's thread, once; none where the record is not there, or there is no memory for it.
  using Done = std::function<void(std::optional<Payload> payload)>;

  /// Throws Error naming the folder where it cannot be used or another process uses it. `most_bytes`: of all files; those
  /// that were used least recently make way.
  PageStore(const std::string& folder, int64_t most_bytes);
  /// What was asked for is written first.
  ~PageStore();
  PageStore(const PageStore&) = delete;
  PageStore& operator=(const PageStore&) = delete;

  /// There, or about to be written.
  bool has(const RecordName& name) const;
  /// One lookup for many names.
  std::vector<bool> has(std::span<const RecordName> names) const;
  /// Whether write() should be asked now: little waits to be written.
  bool can_write() const;
  void write(const RecordName& name, std::vector<TokenId> tokens, Payload payload);
  void read(const RecordName& name, std::vector<TokenId> tokens, Done done);
  /// What a prompt begins with was used just now, from its first page on: that stays longest.
  void use(std::span<const RecordName> path);
  /// Removes their files; those that are still to be written are not written.
  void erase(std::span<const RecordName> names);
  /// Called on the store's thread when can_write() may have become true; the caller of forget() hears no more of it.
  void on_room(const void* who, std::function<void()> wake);
  void forget(const void* who);

  PrefixStore::Status status() const;

  /// Bytes that may wait to be written.
  static constexpr int64_t kMostWaiting = int64_t{64} << 20;

 private:
  struct Write {
    RecordName name;
    std::vector<TokenId> tokens;
    Payload payload;
  };
  struct Read {
    RecordName name;
    std::vector<TokenId> tokens;
    Done done;
  };
  void scan();
  void run();
  bool do_next();
  void do_read(const Read& read);
  void note_read(const RecordName& name, bool is_good);
  void do_write(const Write& write);
  void take_back_write(const RecordName& name);
  std::optional<Payload> payload_to_write(const Read& read) const;
  std::optional<Payload> read_file(const Read& read);
  std::optional<int64_t> write_file(const Write& write);
  bool is_idle() const { return reads_.empty() && writes_.empty() && uses_.empty() && erased_.empty(); }
  bool is_there(const RecordName& name) const {
    return index_.has(name) || (being_written_.contains(name) && unwanted_ != name);
  }
  void make_room(int64_t bytes);
  std::optional<std::string> forget_oldest(int64_t bytes);
  void use_now(const RecordName& name);
  void tell_room();
  int64_t next_use();

  PrivateFolder folder_;
  const int64_t most_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable ready_;
  RecordIndex index_;
  std::deque<Read> reads_;
  std::deque<Write> writes_;
  std::map<RecordName, int64_t> being_written_;  // waiting to be, too; when they were used since, 0: not
  std::optional<RecordName> unwanted_;           // erased while its file is made
  std::vector<std::pair<RecordName, int64_t>> uses_;
  std::vector<RecordName> erased_;
  std::vector<std::pair<const void*, std::function<void()>>> wakes_;
  int64_t waiting_bytes_ = 0, last_use_ = 0;
  PrefixStore::Status counts_;
  bool closed_ = false, told_failure_ = false;
  std::thread thread_;
};

}  // namespace skald
