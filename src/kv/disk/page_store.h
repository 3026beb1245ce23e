// PageStore: a store of records with a queue before it: written and read by a thread of its own, so that no other one waits
// for it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kv/disk/record_store.h"
#include "kv/disk/store_answers.h"
#include "kv/disk/store_breaker.h"
#include "skald/prefix_store.h"

namespace skald {

struct StoreLimits {
  std::chrono::nanoseconds patience = std::chrono::seconds(5);  // with a store that gives no answer
  std::chrono::nanoseconds pause = std::chrono::seconds(1);     // after its first failure
  std::chrono::nanoseconds closing = std::chrono::seconds(10);  // to write what is left, at the end
};

/// Several engines may use one, from any thread, and several processes a store. There is no state but the records, each of
/// which is whole or absent: nothing is lost when the process dies but what was not written yet. What is damaged, or was
/// written for something else, counts as absent, is counted, and is removed.
///
/// A store that fails, or is silent for too long, is left alone for a while: it has nothing then, and takes nothing. The
/// store's thread tries it again, and no request.
class PageStore {
 public:
  using Payload = RecordStore::Payload;
  /// On another thread, once; none where the record is not there, there is no memory for it, or the store is silent.
  using Done = std::function<void(std::optional<Payload> payload)>;
  using Clock = RecordStore::Clock;
  using Limits = StoreLimits;

  explicit PageStore(std::unique_ptr<RecordStore> store, Limits limits = {});
  /// Of a folder. Throws Error naming it where it cannot be used. `most_bytes`: of all files; those that were used least
  /// recently make way. Other processes that write too may have it hold more for a short time: 1/32 for each of them.
  PageStore(const std::string& folder, int64_t most_bytes, Limits limits = {});
  /// What was asked for is written first, unless the store is down or too slow.
  ~PageStore();
  PageStore(const PageStore&) = delete;
  PageStore& operator=(const PageStore&) = delete;

  /// There as far as is known, or about to be written.
  bool has(const RecordName& name) const;
  /// Has those looked for that are not known, on the store's thread. `names`: of a prompt's pages, from the first one that
  /// is wanted on; it is looked no further than to a page that is not there. `done` is called on another thread when has()
  /// knows. False, and no call, where nothing is to be looked for. `anew`: what was absent a moment ago is looked for too.
  bool look(std::vector<RecordName> names, std::function<void()> done, bool anew = false);
  /// Whether write() should be asked now: little waits to be written.
  bool can_write() const;
  void write(const RecordName& name, std::vector<TokenId> tokens, Payload payload);
  void read(const RecordName& name, std::vector<TokenId> tokens, Done done);
  /// What a prompt begins with was used just now, from its first page on: that stays longest.
  void use(std::span<const RecordName> path);
  /// Has `done` called on another thread when all that waits now to be written is written, or failed. False, and no call,
  /// where nothing waits or the store is left alone.
  bool flush(std::function<void()> done);
  /// Returns whether the store is left alone for a while.
  bool is_down() const;
  /// Removes their records; those that are still to be written are not written.
  void erase(std::span<const RecordName> names);
  /// Called on the store's thread when can_write() may have become true; the caller of forget() hears no more of it.
  void on_room(const void* who, std::function<void()> wake);
  void forget(const void* who);

  PrefixStore::Status status() const;
  const RecordStore& store() const { return *store_; }

  /// Bytes that may wait to be written.
  static constexpr int64_t kMostWaiting = int64_t{64} << 20;
  /// How long a record counts as absent that was not there, in which others may have written it.
  static constexpr std::chrono::seconds kAbsentFor{1};

 private:
  struct Write {
    RecordName name;
    std::vector<TokenId> tokens;
    Payload payload;
    int64_t number;  // of all that were to be written
  };
  struct Flush {
    int64_t until;  // the number of the first write that it does not wait for
    StoreAnswers::Ticket ticket;
  };
  struct Read {
    RecordName name;
    std::vector<TokenId> tokens;
    StoreAnswers::Ticket ticket;
  };
  struct Look {
    RecordName first;  // of those that were wanted
    std::vector<RecordName> names;
    StoreAnswers::Ticket ticket;
  };
  struct Counts {
    int64_t found = 0, missed = 0, errors = 0;
    double seconds = 0;
  };
  using Lock = std::unique_lock<std::mutex>;

  // On the store's thread.
  void run();
  bool do_next();
  bool do_next(Lock& lock);
  bool do_in_turn(Lock& lock);
  bool end_early(Lock& lock);
  void reach();
  void do_erase(const std::vector<RecordName>& names);
  void do_look(const Look& look);
  void look_for(std::span<const RecordName> names);
  void do_reads(const std::vector<Read>& reads);
  bool answer_unwritten(const Read& read);
  void read_records(const std::vector<Read>& reads);
  void do_uses(const std::vector<RecordStore::Use>& uses);
  void do_write(const Write& write);
  void end_write(const Write& write, bool written);
  bool write_record(const Write& write);
  void tell_room();
  void answer_flushes();
  void on_failure(const std::string& why);
  void on_silence();

  // By who holds the lock.
  template <class Question>
  void ask(std::deque<Question>& queue, StoreAnswers::Answer answer, Question question);
  bool is_idle() const { return reads_.empty() && looks_.empty() && writes_.empty() && uses_.empty() && erased_.empty(); }
  bool has_now(const RecordName& name) const;
  void keep_unknown(std::vector<RecordName>& names);
  void count_look(const RecordName& first);
  void use_now(const RecordName& name);
  bool take_back_write(const RecordName& name);
  std::vector<Read> take_reads();
  std::vector<RecordStore::Use> take_uses();
  std::optional<Payload> payload_to_write(const Read& read) const;

  const Limits limits_;
  const std::unique_ptr<RecordStore> store_;
  mutable std::mutex mutex_;
  std::condition_variable ready_;
  StoreBreaker breaker_;
  std::deque<Read> reads_;
  std::deque<Look> looks_;
  std::deque<Write> writes_;
  std::deque<Flush> flushes_;
  std::map<RecordName, int64_t> being_written_;  // waiting to be, too; when they were used since, 0: not
  std::optional<RecordName> unwanted_;           // erased while its record is made
  std::map<RecordName, int64_t> uses_;           // that other processes do not know
  std::set<RecordName> erased_;                  // whose records may be there still
  std::set<RecordName> absent_;                  // found so since `absent_from_`
  Clock::time_point absent_from_ = {}, close_by_ = {};
  std::vector<std::pair<const void*, std::function<void()>>> wakes_;
  int64_t waiting_bytes_ = 0, next_write_ = 0;
  Counts counts_;
  bool closed_ = false, told_failure_ = false, told_down_ = false;
  StoreAnswers answers_;  // after all that its thread uses
  std::thread thread_;
};

}  // namespace skald
