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
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kv/disk/record_folder.h"
#include "skald/prefix_store.h"

namespace skald {

/// Several engines may use one, from any thread, and several processes a folder. There is no state but the files, each of
/// which is whole or absent: nothing is lost when the process dies but what was not written yet. What is damaged, or was
/// written for something else, counts as absent, is counted, and is removed.
class PageStore {
 public:
  using Payload = RecordFolder::Payload;
  /// On the store's thread, once; none where the record is not there, or there is no memory for it.
  using Done = std::function<void(std::optional<Payload> payload)>;

  /// Throws Error naming the folder where it cannot be used. `most_bytes`: of all files; those that were used least recently
  /// make way. Other processes that write too may have it hold more for a short time: 1/32 for each of them.
  PageStore(const std::string& folder, int64_t most_bytes);
  /// What was asked for is written first.
  ~PageStore();
  PageStore(const PageStore&) = delete;
  PageStore& operator=(const PageStore&) = delete;

  /// There, or about to be written. Looks for a file that is not known: another process may have written it.
  bool has(const RecordName& name);
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
  void run();
  bool do_next();
  void do_erase(const RecordName& name);
  void do_read(const Read& read);
  void do_write(const Write& write);
  bool take_back_write(const RecordName& name);
  std::optional<Payload> payload_to_write(const Read& read) const;
  bool write_file(const Write& write);
  bool is_idle() const { return reads_.empty() && writes_.empty() && uses_.empty() && erased_.empty(); }
  void use_now(const RecordName& name);
  void tell_room();

  RecordFolder folder_;
  mutable std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<Read> reads_;
  std::deque<Write> writes_;
  std::map<RecordName, int64_t> being_written_;  // waiting to be, too; when they were used since, 0: not
  std::optional<RecordName> unwanted_;           // erased while its file is made
  std::map<RecordName, int64_t> uses_;           // that other processes do not know
  std::set<RecordName> erased_;                  // whose files may be there still
  std::vector<std::pair<const void*, std::function<void()>>> wakes_;
  int64_t waiting_bytes_ = 0;
  bool closed_ = false, told_failure_ = false;
  std::thread thread_;
};

}  // namespace skald
