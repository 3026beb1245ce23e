#include "comm/mpi/mpi_group.h"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/log.h"

namespace skald {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kMostEnd = std::chrono::seconds(20);  // over TCP it takes some
// mpirun gives processes a second after it told them to end.
constexpr auto kMoment = std::chrono::milliseconds(400), kGrace = std::chrono::milliseconds(500);

// Leaves the processor to others the more, the longer there was nothing.
void pause_for(std::chrono::nanoseconds waited, Group::Pace pace) {
  if (waited < std::chrono::microseconds(20)) return;
  if (pace == Group::Pace::kStep || waited < std::chrono::milliseconds(5)) {
    sched_yield();
    return;
  }
  std::this_thread::sleep_for(waited < std::chrono::seconds(1) ? std::chrono::microseconds(50)
                                                               : std::chrono::microseconds(500));
}

}  // namespace

MpiGroup::MpiGroup(std::chrono::seconds patience) : patience_(patience) {
  mpi_.init();
  rank_ = mpi_.rank();
  names_.resize(static_cast<size_t>(mpi_.size()));
  names_ = tell_all(mpi_.processor_name());
  log(LogLevel::kInfo, "rank {} of {} by {}", rank_, size(), mpi_.version());
}

MpiGroup::~MpiGroup() {
  if (broken_) mpi_.abort(1);
  try {
    take_leave();
    finalize();
  } catch (const Error& e) {
    log(LogLevel::kWarn, "{}", e.what());
  }
}

// UCX closes a connection while both of its ends move messages, and MPICH 4.0 does not move any once it waits for the other
// ranks in MPI_Finalize: what they still have to tell each other is told before.
void MpiGroup::take_leave() {
  constexpr int kRounds = 10;
  constexpr auto kPause = std::chrono::milliseconds(10);
  for (int i = 0; i < kRounds; ++i) {
    tell_all(std::string(1, '.'));
    std::this_thread::sleep_for(kPause);
  }
}

// On the thread that has begun MPI, as its standard wants.
void MpiGroup::finalize() {
  std::promise<void> ended;
  std::thread watch([over = ended.get_future()] {
    if (over.wait_for(kMostEnd) != std::future_status::timeout) return;
    log(LogLevel::kWarn, "MPI_Finalize does not end: the job ends without it, with exit code 1");
    std::_Exit(1);  // within it there is no communicator to abort
  });
  mpi_.finalize();
  ended.set_value();
  watch.join();
}

std::vector<std::string> MpiGroup::tell_all(const std::string& text) {
  constexpr size_t kMost = 256;
  std::vector<std::byte> sent(kMost), received(kMost * static_cast<size_t>(size()));
  std::memcpy(sent.data(), text.data(), std::min(text.size(), kMost - 1));
  std::vector<Send> sends;
  std::vector<Receive> receives;
  for (int peer = 0; peer < size(); ++peer) {
    if (peer == rank_) continue;
    sends.push_back({peer, sent});
    receives.push_back({peer, std::span(received).subspan(kMost * static_cast<size_t>(peer), kMost)});
  }
  exchange(sends, receives);
  std::vector<std::string> out(static_cast<size_t>(size()), text);
  for (const Receive& r : receives) out[static_cast<size_t>(r.from)] = reinterpret_cast<const char*>(r.bytes.data());
  return out;
}

std::string MpiGroup::name_of(int rank) const {
  return fmt::format("rank {} on {}", rank, names_[static_cast<size_t>(rank)]);
}

void MpiGroup::post(std::span<const Send> sends, std::span<const Receive> receives) {
  const auto in_pieces = [this](auto bytes, int peer, auto call) {
    while (!bytes.empty()) {
      const size_t n = std::min(bytes.size(), static_cast<size_t>(MpiLibrary::kMostBytes));
      pending_.push_back({call(bytes.data(), static_cast<int64_t>(n), peer), peer});
      bytes = bytes.subspan(n);
    }
  };
  for (const Receive& r : receives)
    in_pieces(r.bytes, r.from, [this](void* to, int64_t n, int from) { return mpi_.receive(to, n, from); });
  for (const Send& s : sends)
    in_pieces(s.bytes, s.to, [this](const void* from, int64_t n, int to) { return mpi_.send(from, n, to); });
}

void MpiGroup::exchange(std::span<const Send> sends, std::span<const Receive> receives, Pace pace) {
  if (broken_) fail_at(rank_);
  broken_ = true;  // unless it ends well
  pending_.clear();
  post(sends, receives);
  wait(pace);
  broken_ = false;
}

void MpiGroup::wait(Pace pace) {
  const Clock::time_point start = Clock::now();
  while (true) {
    std::erase_if(pending_, [this](Pending& p) { return mpi_.test(p.request); });
    if (pending_.empty()) return;
    const auto waited = Clock::now() - start;
    if (is_over(waited, pace)) fail_at(pending_.front().peer);
    pause_for(waited, pace);
  }
}

bool MpiGroup::is_over(std::chrono::nanoseconds waited, Pace pace) const {
  if (given_up_) return true;
  if (hurries_ && waited > kMoment) return true;
  return pace != Pace::kLoading && waited > patience_;
}

void MpiGroup::fail_at(int peer) {
  const std::lock_guard lock(mutex_);
  if (why_.empty() && hurries_)
    why_ = fmt::format("{} does not answer, and {} was told to end", name_of(peer), name_of(rank_));
  if (why_.empty()) why_ = fmt::format("{} has not answered {} for {} s", name_of(peer), name_of(rank_), patience_.count());
  end_job_soon();
  fail(Errc::kDevice, "{}", why_);
}

// Whatever waits for this rank, here and elsewhere, does so in vain.
void MpiGroup::end_job_soon() {
  if (std::exchange(ends_, true)) return;
  std::fprintf(stderr, "skald: %s: the job ends\n", why_.c_str());
  std::thread([this] {
    std::this_thread::sleep_for(kGrace);
    mpi_.abort(1);
  }).detach();
}

void MpiGroup::give_up(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (why_.empty()) why_ = why;
  given_up_ = true;
}

}  // namespace skald
