// Sums of two ranks of one machine, by messages and by a shared window (MPI_Win_allocate_shared): microseconds of each.
// mpicxx -O3 -march=native bench/scaling/windows.cpp -o windows && mpirun -np 2 ./windows
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <new>
#include <vector>

namespace {

constexpr int kRounds = 5;

int own_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// In the order of the ranks.
void add(const std::vector<float>& own, const float* other, std::vector<float>& sum) {
  const float* const first = own_rank() ? other : own.data();
  const float* const second = own_rank() ? own.data() : other;
  for (size_t i = 0; i < sum.size(); ++i) sum[i] = first[i] + second[i];
}

/// The best of some rounds, in microseconds for each call of `turn`.
template <class Turn>
double measure(int turns, Turn turn) {
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < turns; ++i) turn();
    best = std::min(best, (MPI_Wtime() - begin) / turns * 1e6);
  }
  return best;
}

double by_messages(const std::vector<float>& own, std::vector<float>& sum, int turns) {
  std::vector<float> other(own.size());
  const int bytes = static_cast<int>(own.size() * sizeof(float)), peer = 1 - own_rank();
  return measure(turns, [&] {
    MPI_Request requests[2];
    MPI_Irecv(other.data(), bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(own.data(), bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[1]);
    for (int done = 0; !done;) MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
    add(own, other.data(), sum);
  });
}

// A counter of turns, then two buffers: a rank writes one while the other rank may still read the one before.
double by_window(const std::vector<float>& own, std::vector<float>& sum, int turns) {
  constexpr MPI_Aint kHead = 64;
  const auto bytes = static_cast<MPI_Aint>(own.size() * sizeof(float));
  std::byte *mine = nullptr, *theirs = nullptr;
  MPI_Win window;
  MPI_Win_allocate_shared(kHead + 2 * bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &window);
  MPI_Aint size = 0;
  int unit = 0;
  MPI_Win_shared_query(window, 1 - own_rank(), &size, &unit, &theirs);
  auto* const own_turn = new (mine) std::atomic<int>(0);
  MPI_Barrier(MPI_COMM_WORLD);
  const auto* const other_turn = reinterpret_cast<const std::atomic<int>*>(theirs);
  int turn = 0;
  const double time = measure(turns, [&] {
    const MPI_Aint at = kHead + (++turn & 1) * bytes;
    std::memcpy(mine + at, own.data(), static_cast<size_t>(bytes));
    own_turn->store(turn, std::memory_order_release);
    while (other_turn->load(std::memory_order_acquire) < turn) continue;
    add(own, reinterpret_cast<const float*>(theirs + at), sum);
  });
  MPI_Win_free(&window);
  return time;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (own_rank() == 0) std::printf("%10s %12s %12s\n", "bytes", "messages", "window");
  for (const size_t floats : {896, 2048, 8192, 131072, 1048576}) {
    const std::vector<float> own(floats, 1.0f);
    std::vector<float> sum(floats);
    const int turns = floats > 100000 ? 300 : 20000;
    const double messages = by_messages(own, sum, turns), window = by_window(own, sum, turns);
    if (own_rank() == 0) std::printf("%10zu %12.2f %12.2f\n", floats * sizeof(float), messages, window);
  }
  MPI_Finalize();
}
