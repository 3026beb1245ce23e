// Block: the threads of one block as fibers, their barriers, and the collectives of their warps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/gpu/host/fiber.h"
#include "kernels/gpu/host/machine.h"

namespace skald::simt::host {

/// What a thread waits for.
enum class Wait : uint8_t {
  kNothing,
  kShuffle,
  kVotes,
  kSyncWarp,
  kMmaF16,
  kMmaBf16,
  kMmaS8,
  kMmaS8Short,
  kLoadMatrix,
  kSyncBlock,
  kPrevious
};

class Block {
 public:
  explicit Block(Machine& machine);
  ~Block();

  /// The running thread of the system is who runs blocks from now on.
  void enter() { outside_.be_here(); }
  /// Makes the threads and the shared memory of a launch's blocks.
  void prepare(const Launch& launch);
  /// Runs the block at this place to its end; `early`: to where its threads wait for the launches before.
  void run(Grid at, bool early = false);
  /// Goes on with a block that began early.
  void finish();
  /// What all of its blocks did happens before what follows.
  void join();

  /// The block of the running fiber; words end the program where there is none.
  static Block& current();

  // The words, for the thread that runs.
  int thread() const { return current_; }
  int threads() const { return n_threads_; }
  Grid at() const { return at_; }
  Grid grid() const { return launch_->shape.grid; }
  void sync_block();
  void sync_warp();
  void wait_for_previous();
  bool last_block(int* counter, int blocks);
  void* shared_memory(int64_t bytes);
  const Machine& machine() const { return machine_; }
  bool copies_later(const Copy& copy);
  void copy_commit();
  Copies due_copies(int pending);

  static constexpr size_t kSlotBytes = 64, kResultBytes = 16;
  /// Where the lanes of a warp put what they bring, and what the last of them computes for all.
  struct Slots {
    alignas(64) std::byte in[kWarp][kSlotBytes];
    alignas(64) std::byte out[kWarp][kResultBytes];
  };
  /// One collective of a warp: puts n bytes down, waits for the other lanes. The last one calls `all`, if there is one.
  const Slots& meet(Wait kind, const void* in, size_t n, void (*all)(Slots&) = nullptr);

  /// Ends the program, saying where.
  [[noreturn]] void die(const char* what) const;

 private:
  struct Thread {
    explicit Thread(void (*entry)()) : fiber(entry) {}
    Fiber fiber;
    Wait wait = Wait::kNothing;
    bool done = true;
    uint32_t turn = 0;              // of the barrier or collective that it waits at
    std::vector<Copy> copies, due;  // that are pending; that were given out
    std::vector<size_t> ends;       // of the committed groups among the pending ones
  };
  /// Two sets of slots in turns are enough: no lane comes to a collective before all have left the one before the last.
  struct Warp {
    uint32_t turn = 0;
    int arrived = 0;
    Wait kind = Wait::kNothing;
    Slots slots[2];
  };

  static void fiber_main();
  void end_thread();
  Thread& me() { return *all_[static_cast<size_t>(current_)]; }
  const Thread& thread_at(int i) const { return *all_[static_cast<size_t>(i)]; }
  Warp& my_warp() { return *warps_[static_cast<size_t>(current_ / kWarp)]; }
  bool can_go_on(int i) const;
  /// The next thread in the machine's order, or -1.
  int next() const;
  void go_to(int i);
  void wait(Wait what, uint32_t turn);
  void leave();
  void clear_shared();
  [[noreturn]] void deadlock() const;

  Machine& machine_;
  const Launch* launch_ = nullptr;
  Grid at_;
  int n_threads_ = 0, live_ = 0, arrived_ = 0, current_ = -1;
  uint32_t turn_ = 0;   // of sync_block
  bool early_ = false;  // launches before this one have not run
  bool last_ = false;   // what last_block found
  Fiber outside_;       // who called run()
  std::vector<std::unique_ptr<Thread>> all_;
  std::vector<std::unique_ptr<Warp>> warps_;
  struct Free {
    void operator()(std::byte* p) const;
  };
  std::unique_ptr<std::byte, Free> shared_;
  int64_t shared_room_ = 0;  // bytes
};

}  // namespace skald::simt::host
