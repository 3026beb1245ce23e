// MpiGroup: the processes that one mpirun started.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "comm/group.h"
#include "comm/mpi/library.h"

namespace skald {

class MpiGroup : public Group {
 public:
  /// Joins the other processes. Throws as MpiLibrary does. `patience`: how long a rank may not answer within a step, and be
  /// silent between steps.
  explicit MpiGroup(std::chrono::seconds patience);
  /// Leaves in peace, or where an exchange failed, ends the whole job. That also ends a second after the failure, in which
  /// requests get their errors.
  ~MpiGroup() override;
  MpiGroup(const MpiGroup&) = delete;
  MpiGroup& operator=(const MpiGroup&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(names_.size()); }
  std::string name_of(int rank) const override;
  void exchange(std::span<const Send> sends, std::span<const Receive> receives, Pace pace = Pace::kStep) override;
  void give_up(const std::string& why) override;
  void hurry() override { hurries_ = true; }
  double patience() const override { return static_cast<double>(patience_.count()); }

 private:
  struct Pending {
    MpiLibrary::Handle request;
    int peer;
  };
  void post(std::span<const Send> sends, std::span<const Receive> receives);
  void wait(Pace pace);
  [[noreturn]] void fail_at(int peer);
  bool is_over(std::chrono::nanoseconds waited, Pace pace) const;
  void end_job_soon();
  void take_leave();
  void finalize();
  /// Each rank's text, of at most 255 bytes.
  std::vector<std::string> tell_all(const std::string& text);

  MpiLibrary mpi_;
  std::chrono::seconds patience_;
  int rank_ = 0;
  std::vector<std::string> names_;  // of the ranks' machines
  std::vector<Pending> pending_;
  std::atomic<bool> given_up_ = false, hurries_ = false;
  std::mutex mutex_;
  std::string why_;                   // it was given up
  bool ends_ = false;                 // the job
  std::atomic<bool> broken_ = false;  // an exchange did not end
};

}  // namespace skald
