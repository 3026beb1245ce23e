// Choices sorted by experts on the device: against a sort on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "kernels/gpu/kernel_table.h"
#include "tests/kernels/gpu/run_kernel.h"

namespace skald::gpu::sort_experts_test {
namespace {

constexpr int kExperts = 20, kUnused = 7, kChoices = 3, kMost = 8;

/// What the kernel makes of the choices of some rows.
struct Sorted {
  std::vector<ExpertJob> jobs;
  std::vector<int32_t> choices;
};

Sorted sorted(const std::vector<int32_t>& ids, const simt::host::MachineOptions& options = {}) {
  const auto rows = static_cast<int32_t>(ids.size() / kChoices);
  constexpr size_t kSpare = 9;  // of a bucket that is larger than the step
  Sorted out{std::vector<ExpertJob>(kExperts + ids.size() / kMost + kSpare, {-1, -1, -1}),
             std::vector<int32_t>(ids.size() + kSpare, -1)};
  simt::host::Machine machine(options);
  SortExpertsArgs args{.rows = {&rows}, .choice = {ids.data(), kChoices, kChoices}, .experts = kExperts};
  args.jobs = out.jobs.data();
  args.n_jobs = static_cast<int>(out.jobs.size());
  args.most = kMost;
  args.choices = out.choices.data();
  gpu_kernels<simt::HostTarget>().sort_experts(machine.stream(), args, rows + 3);
  machine.run();
  return out;
}

/// Each row goes to three experts, some of which are in favour.
std::vector<int32_t> some_choices(int rows) {
  std::mt19937 bits(3);
  std::vector<int32_t> ids;
  for (int row = 0; row < rows; ++row) {
    std::vector<int32_t> own;
    while (own.size() < kChoices) {
      const auto e = static_cast<int32_t>(std::min(bits() % kExperts, bits() % kExperts));
      if (e != kUnused && std::ranges::find(own, e) == own.end()) own.push_back(e);
    }
    ids.insert(ids.end(), own.begin(), own.end());
  }
  return ids;
}

TEST(GpuSortExperts, PutsChoicesInTheOrderOfExperts) {
  for (const int rows : {0, 1, 11, 300}) {
    const std::vector<int32_t> ids = some_choices(rows);
    std::vector<int32_t> want(ids.size());
    for (size_t i = 0; i < want.size(); ++i) want[i] = static_cast<int32_t>(i);
    std::ranges::stable_sort(want, {}, [&](int32_t choice) { return ids[static_cast<size_t>(choice)]; });
    for (const simt::host::MachineOptions& options : test::kOneOfEachOrder) {
      std::vector<int32_t> got = sorted(ids, options).choices;
      EXPECT_TRUE(std::all_of(got.begin() + std::ssize(want), got.end(), [](int32_t c) { return c == -1; }));
      got.resize(want.size());
      EXPECT_EQ(got, want) << rows << " rows, " << test::order_name(options);
    }
  }
}

TEST(GpuSortExperts, CutsTheChoicesOfAnExpertIntoJobs) {
  for (const int rows : {0, 1, 11, 300}) {
    const std::vector<int32_t> ids = some_choices(rows);
    std::map<int32_t, int32_t> counts;
    for (const int32_t e : ids) ++counts[e];
    const Sorted got = sorted(ids);
    size_t job = 0;
    int32_t first = 0;
    for (const auto& [expert, count] : counts)
      for (int32_t left = count; left > 0; left -= kMost, ++job) {
        const int32_t some = std::min(left, int32_t{kMost});
        EXPECT_EQ(got.jobs[job].expert, expert);
        EXPECT_EQ(got.jobs[job].first, first);
        EXPECT_EQ(got.jobs[job].count, some);
        first += some;
      }
    for (; job < got.jobs.size(); ++job) EXPECT_EQ(got.jobs[job].count, 0) << rows << " rows, job " << job;
  }
}

}  // namespace
}  // namespace skald::gpu::sort_experts_test
