#include "kernels/gpu/host/block.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "kernels/gpu/host/sanitizers.h"

namespace skald::simt::host {
namespace {

using sanitizers::acquire, sanitizers::release;

constexpr const char* kNames[] = {"running", "shuffle",      "votes",       "sync_warp",  "mma_f16",          "mma_bf16",
                                  "mma_s8",  "mma_s8_short", "load_matrix", "sync_block", "wait_for_previous"};
const char* name(Wait kind) { return kNames[static_cast<size_t>(kind)]; }

// Of the running fiber. Never inlined: a fiber may go on in another thread, whose variables lie elsewhere.
thread_local Block* running = nullptr;
[[gnu::noinline]] Block*& running_block() {
  asm volatile("");  // else calls of it are merged, as of a function that depends on nothing
  return running;
}

// No call of memcpy, which the thread sanitizer would take for an access.
void move(void* to, const void* from, size_t n) {
  auto* t = static_cast<volatile unsigned char*>(to);
  const auto* f = static_cast<const volatile unsigned char*>(from);
  for (size_t i = 0; i < n; ++i) t[i] = f[i];
}

[[noreturn]] void end(const char* what) {
  std::fprintf(stderr, "simt: %s\n", what);
  std::abort();
}

}  // namespace

void Block::Free::operator()(std::byte* p) const { std::free(p); }

Block::Block(Machine& machine) : machine_(machine) {}
Block::~Block() { sanitizers::permit(shared_.get(), static_cast<size_t>(shared_room_)); }

Block& Block::current() {
  Block* const block = running_block();
  if (!block) end("a word of kernels is used outside of a kernel");
  return *block;
}

void Block::prepare(const Launch& launch) {
  const Shape& shape = launch.shape;
  if (shape.threads <= 0 || shape.threads % kWarp || shape.threads > kMaxThreads)
    end("a block has whole warps, and at most 1024 threads");
  if (shape.shared_bytes > kMaxSharedBytes) end("a block asks for more shared memory than devices have");
  launch_ = &launch;
  n_threads_ = shape.threads;
  while (static_cast<int>(all_.size()) < n_threads_) all_.push_back(std::make_unique<Thread>(&fiber_main));
  while (static_cast<int>(warps_.size()) < n_threads_ / kWarp) warps_.push_back(std::make_unique<Warp>());
  // Exactly as long as asked for: the address sanitizer sees what lies outside.
  sanitizers::permit(shared_.get(), static_cast<size_t>(shared_room_));
  constexpr int64_t kAlignment = 128;
  const int64_t room = (shape.shared_bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (room > shared_room_) {
    shared_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, static_cast<size_t>(room))));
    shared_room_ = room;
    if (!shared_) end("no memory for a block's shared memory");
  }
  sanitizers::forbid(shared_.get() + shape.shared_bytes, static_cast<size_t>(shared_room_ - shape.shared_bytes));
}

// Bytes that are no numbers: tests see what was not written. By words, as byte after byte this was most of a block's time.
void Block::clear_shared() {
  using Word [[gnu::vector_size(16)]] = uint64_t;
  constexpr auto kWord = static_cast<int64_t>(sizeof(Word));
  const int64_t words = launch_->shape.shared_bytes / kWord;
  auto* word = reinterpret_cast<volatile Word*>(shared_.get());
  for (int64_t i = 0; i < words; ++i) word[i] = Word{~uint64_t{0}, ~uint64_t{0}};
  auto* rest = reinterpret_cast<volatile unsigned char*>(shared_.get());
  for (int64_t i = words * kWord; i < launch_->shape.shared_bytes; ++i) rest[i] = 0xff;
}

void Block::run(Grid at, bool early) {
  at_ = at;
  early_ = early;
  clear_shared();
  live_ = n_threads_;
  arrived_ = 0;
  for (int i = 0; i < n_threads_; ++i) {
    all_[static_cast<size_t>(i)]->done = false;
    all_[static_cast<size_t>(i)]->wait = Wait::kNothing;
  }
  for (int i = 0; i < n_threads_ / kWarp; ++i) warps_[static_cast<size_t>(i)]->arrived = 0;
  release(&live_);
  current_ = -1;
  Block* const before = std::exchange(running_block(), this);
  current_ = next();
  outside_.switch_to(me().fiber);
  running_block() = before;
}

void Block::finish() {
  early_ = false;
  if (live_ == 0) return;
  release(&early_);
  Block* const before = std::exchange(running_block(), this);
  current_ = next();
  if (current_ < 0) deadlock();
  outside_.switch_to(me().fiber);
  running_block() = before;
}

void Block::join() { acquire(&live_); }

// Threads of the next block on the same fibers are others: what they share with these is ordered by the end of the block.
void Block::fiber_main() {
  Fiber::begin();
  for (;;) {
    {
      Block& block = current();
      acquire(&block.live_);
      block.launch_->body(block.launch_->args.data());
    }
    current().end_thread();
  }
}

void Block::end_thread() {
  Thread& t = me();
  if (!t.copies.empty()) die("a thread returns before its asynchronous copies are done");
  t.ends.clear();
  t.done = true;
  release(&live_);
  --live_;
  if (arrived_) die("a thread returns while others wait for it at sync_block");
  if (live_ == 0) return leave();
  const int i = next();
  if (i >= 0) return go_to(i);
  if (early_) return leave();
  deadlock();
}

void Block::leave() { me().fiber.switch_to(outside_); }

void Block::go_to(int i) {
  if (i == current_) return;
  Thread& left = me();
  current_ = i;
  left.fiber.switch_to(me().fiber);
}

bool Block::can_go_on(int i) const {
  const Thread& t = thread_at(i);
  if (t.done) return false;
  switch (t.wait) {
    case Wait::kNothing:
      return true;
    case Wait::kSyncBlock:
      return turn_ != t.turn;
    case Wait::kPrevious:
      return !early_;
    default:
      return warps_[static_cast<size_t>(i / kWarp)]->turn != t.turn;
  }
}

int Block::next() const {
  const Order order = machine_.options().threads;
  const int step = order == Order::kBackward ? n_threads_ - 1 : 1;
  int at = current_ < 0 && order == Order::kBackward ? 0 : current_ < 0 ? n_threads_ - 1 : current_;
  if (order == Order::kRandom) at = static_cast<int>(machine_.random() % static_cast<uint64_t>(n_threads_));
  for (int i = 0; i < n_threads_; ++i) {
    at = (at + step) % n_threads_;
    if (can_go_on(at)) return at;
  }
  return -1;
}

void Block::wait(Wait what, uint32_t turn) {
  Thread& t = me();
  t.wait = what;
  t.turn = turn;
  const int i = next();
  if (i >= 0)
    go_to(i);
  else if (early_)
    leave();
  else
    deadlock();
  t.wait = Wait::kNothing;
}

void Block::sync_block() {
  release(&turn_);
  if (live_ != n_threads_) die("sync_block after some threads have returned");
  if (++arrived_ == n_threads_) {
    arrived_ = 0;
    ++turn_;
  } else {
    wait(Wait::kSyncBlock, turn_);
  }
  acquire(&turn_);
}

void Block::sync_warp() {
  Warp& warp = my_warp();
  release(&warp.turn);
  meet(Wait::kSyncWarp, nullptr, 0);
  acquire(&warp.turn);
}

void Block::wait_for_previous() {
  if (early_) wait(Wait::kPrevious, 0);
  acquire(&early_);
}

bool Block::last_block(int* counter, int blocks) {
  sync_block();
  if (current_ == 0) {
    last_ = __atomic_fetch_add(counter, 1, __ATOMIC_ACQ_REL) == blocks - 1;
    release(counter);
    if (last_) __atomic_store_n(counter, 0, __ATOMIC_RELAXED);
  }
  sync_block();
  if (last_) acquire(counter);
  return last_;
}

void* Block::shared_memory(int64_t bytes) {
  if (bytes > launch_->shape.shared_bytes) die("more shared memory is used than the launch asked for");
  return shared_.get();
}

const Block::Slots& Block::meet(Wait kind, const void* in, size_t n, void (*all)(Slots&)) {
  Warp& warp = my_warp();
  if (warp.arrived == 0) warp.kind = kind;
  if (warp.kind != kind) {
    std::fprintf(stderr, "simt: lane %d is at %s, others of its warp are at %s\n", current_ % kWarp, name(kind),
                 name(warp.kind));
    die("lanes of a warp are at different collectives");
  }
  const uint32_t turn = warp.turn;
  Slots& slots = warp.slots[turn % 2];
  move(slots.in[current_ % kWarp], in, n);
  if (++warp.arrived < kWarp) {
    wait(kind, turn);
    return slots;
  }
  if (all) all(slots);
  warp.arrived = 0;
  ++warp.turn;
  return slots;
}

bool Block::copies_later(const Copy& copy) {
  if (!machine_.options().late_copies) return false;
  me().copies.push_back(copy);
  return true;
}

void Block::copy_commit() { me().ends.push_back(me().copies.size()); }

Copies Block::due_copies(int pending) {
  Thread& t = me();
  const auto most = static_cast<size_t>(pending);
  if (t.ends.size() <= most) return {nullptr, 0};
  const auto groups = static_cast<std::ptrdiff_t>(t.ends.size() - most);
  const size_t end = t.ends[static_cast<size_t>(groups - 1)];
  t.due.assign(t.copies.begin(), t.copies.begin() + static_cast<std::ptrdiff_t>(end));
  t.copies.erase(t.copies.begin(), t.copies.begin() + static_cast<std::ptrdiff_t>(end));
  t.ends.erase(t.ends.begin(), t.ends.begin() + groups);
  for (size_t& e : t.ends) e -= end;
  return {t.due.data(), end};
}

void Block::die(const char* what) const {
  std::fprintf(stderr, "simt: block (%u, %u, %u), thread %d: %s\n", at_.x, at_.y, at_.z, current_, what);
  std::abort();
}

void Block::deadlock() const {
  std::fprintf(stderr, "simt: block (%u, %u, %u): threads wait for each other\n", at_.x, at_.y, at_.z);
  for (int from = 0, end; from < n_threads_; from = end) {
    const Thread& first = thread_at(from);
    for (end = from + 1; end < n_threads_ && thread_at(end).wait == first.wait && thread_at(end).done == first.done;) ++end;
    std::fprintf(stderr, "  threads %d to %d: %s\n", from, end - 1, first.done ? "have returned" : name(first.wait));
  }
  std::abort();
}

}  // namespace skald::simt::host
