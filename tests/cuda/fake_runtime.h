// A runtime of CUDA on the host, for tests of its callers: its memory faults outside of kernels and copies, and it does all
// that may be done later when a caller waits for it. Kernels run on the machine of simt.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <vector>

namespace skald::test {

struct FakeCard {
  int capability = 90;  // 10 * major + minor
  int64_t bytes = int64_t{1} << 32;
};

struct FakeRuntime {
  int driver = 13000, runtime = 13000;  // versions; 0: there is no driver
  std::vector<FakeCard> cards = {{}, {}};
  std::string failing;  // a call that gives cudaErrorUnknown
  int64_t copies = 0;   // calls that put one on a stream
};
FakeRuntime& fake_runtime();

}  // namespace skald::test
