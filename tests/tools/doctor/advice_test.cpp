// Advice about made-up machines.
#include "tools/doctor/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace skald {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kGiB = int64_t{1} << 30;

// One that nothing holds up.
MachineFacts fine() {
  return {.cpu = {.name = "a CPU",
                  .present = {0, 1, 2, 3},
                  .usable = {0, 1, 2, 3},
                  .quota = 4,
                  .tiers = {"scalar", "avx2", "avx512"},
                  .tier = "avx512",
                  .governor = "performance",
                  .driver = "acpi-cpufreq",
                  .load = 0.1},
          .memory = {.total = 32 * kGiB, .available = 30 * kGiB, .huge_pages = "madvise", .read_gb_per_s = 40},
          .disks = {{.use = "models",
                     .folder = "/m",
                     .file_system = "ext4",
                     .total = 100 * kGiB,
                     .free = 50 * kGiB,
                     .writable = true}},
          .devices = {{.device = "cpu"}}};
}

MachineChoice some_choice() {
  MachineChoice out;
  out.context = 32768;
  out.models.push_back({.shape = "llama-3.2-1b"});
  return out;
}

std::vector<Advice> advice_on(const MachineFacts& facts) { return advise(facts, some_choice()); }

auto about(const char* subject, const std::string& fact, const std::string& remedy) {
  return AllOf(Field(&Advice::subject, subject), Field(&Advice::fact, HasSubstr(fact)),
               Field(&Advice::remedy, HasSubstr(remedy)));
}

TEST(Advice, IsNoneForAMachineThatNothingHoldsUp) { EXPECT_THAT(advice_on(fine()), IsEmpty()); }

TEST(Advice, NamesCpusThatTheProcessMayNotUse) {
  MachineFacts facts = fine();
  facts.cpu.usable = {0, 1};
  facts.cpu.quota = 2;
  EXPECT_THAT(advice_on(facts), ElementsAre(about("CPU", "2 of the machine's 4 CPUs", "taskset")));
}

TEST(Advice, NamesAQuota) {
  MachineFacts facts = fine();
  facts.cpu.quota = 3;
  EXPECT_THAT(advice_on(facts), ElementsAre(about("CPU", "3 of 4 CPUs", "--cpus")));
}

TEST(Advice, NamesAWorseTierThanTheCpuHas) {
  MachineFacts facts = fine();
  facts.cpu.tier = "avx2";
  EXPECT_THAT(advice_on(facts), ElementsAre(about("CPU", "at avx2, and this CPU runs avx512", "Unset SKALD_ISA")));
  facts.cpu.tiers = {"scalar"};
  facts.cpu.tier = "scalar";
  EXPECT_THAT(advice_on(facts), ElementsAre(about("CPU", "no AVX2", "pass the CPU through")));
}

TEST(Advice, NamesAGovernorThatKeepsTheClockLow) {
  MachineFacts facts = fine();
  facts.cpu.governor = "powersave";
  EXPECT_THAT(advice_on(facts), ElementsAre(about("CPU", "powersave", "cpupower")));
  facts.cpu.driver = "intel_pstate";  // whose powersave goes as high as the work asks for
  EXPECT_THAT(advice_on(facts), IsEmpty());
}

TEST(Advice, NamesOtherWorkOnTheCpus) {
  MachineFacts facts = fine();
  facts.cpu.load = 2.2;
  facts.cpu.stolen = 0.3;
  facts.cpu.nodes = 2;
  EXPECT_THAT(advice_on(facts),
              ElementsAre(about("CPU", "a load of 2.2 on 4 CPUs", "-t"), about("CPU", "took 30 %", "not shared"),
                          about("CPU", "2 memory nodes", "--numa distribute")));
}

TEST(Advice, NamesHugePagesThatAreOff) {
  MachineFacts facts = fine();
  facts.memory.huge_pages = "never";
  EXPECT_THAT(advice_on(facts), ElementsAre(about("memory", "huge pages are off", "madvise")));
  facts.memory.huge_pages = "";  // unknown
  EXPECT_THAT(advice_on(facts), IsEmpty());
}

TEST(Advice, NamesSwapInUseAndTheLimitOfLocking) {
  MachineFacts facts = fine();
  facts.memory.swap_total = 8 * kGiB;
  facts.memory.swap_used = kGiB;
  EXPECT_THAT(advice_on(facts), ElementsAre(about("memory", "1.00 GiB are in the swap", "--mlock")));
  facts.memory.swap_used = 0;
  facts.memory.lockable = 8 << 20;
  EXPECT_THAT(advice_on(facts), ElementsAre(about("memory", "8.00 MiB only", "ulimit -l")));
  facts.memory.swap_total = 0;  // then nothing can be swapped out
  EXPECT_THAT(advice_on(facts), IsEmpty());
}

TEST(Advice, NamesTheLimitOfAControlGroup) {
  MachineFacts facts = fine();
  facts.memory.group_room = 4 * kGiB;
  EXPECT_THAT(advice_on(facts), ElementsAre(about("memory", "4.00 GiB of the 30.00 GiB", "--memory")));
  facts.memory.group_room = 29 * kGiB;
  EXPECT_THAT(advice_on(facts), IsEmpty());
}

TEST(Advice, NamesMemoryThatHoldsNoModel) {
  EXPECT_THAT(advise(fine(), {.context = 32768}),
              ElementsAre(about("memory", "30.00 GiB hold none of the usual models with a context of 32,768", "-c")));
}

TEST(Advice, NamesAModelThatDoesNotFit) {
  MachineChoice choice = some_choice();
  choice.model = {
      .name = "big", .weight_bytes = 64 * kGiB, .trained = 8192, .context = 8192, .small_context = 8192, .streams = true};
  EXPECT_THAT(advise(fine(), choice), ElementsAre(about("memory", "The weights of big take 64.00 GiB", "smaller type")));
  choice.model = {.name = "long", .trained = 131072, .context = 40960, .small_context = 98304};
  EXPECT_THAT(advise(fine(), choice), ElementsAre(about("memory", "40,960 of the model's 131,072", "98,304 tokens fit")));
  choice.model = {.name = "none", .trained = 131072};
  EXPECT_THAT(advise(fine(), choice), ElementsAre(about("memory", "No useful context of none", "smaller model")));
  choice.model = {.name = "fits", .trained = 8192, .context = 8192, .small_context = 8192};
  EXPECT_THAT(advise(fine(), choice), IsEmpty());
}

TEST(Advice, NamesAFolderThatIsFullSlowOrClosed) {
  MachineFacts facts = fine();
  facts.disks[0].free = kGiB;
  EXPECT_THAT(advice_on(facts), ElementsAre(about("disk", "room for 1.00 GiB", "HF_HUB_CACHE")));
  facts.disks[0].writable = false;
  EXPECT_THAT(advice_on(facts), ElementsAre(about("disk", "/m, cannot be written to", "HF_HUB_CACHE")));
  facts.disks[0] = {.use = "prompts", .folder = "/p", .file_system = "nfs4", .free = 50 * kGiB, .writable = true};
  EXPECT_THAT(advice_on(facts), ElementsAre(about("disk", "on the network (nfs4)", "--prefix-cache-dir")));
}

TEST(Advice, NamesAServerOfPromptsThatIsClosedFarOrUnbounded) {
  MachineFacts facts = fine();
  facts.store = {.kind = "redis", .label = "redis://h:1/0", .seconds = 0.001, .bounded = true, .limit = "maxmemory"};
  EXPECT_THAT(advice_on(facts), IsEmpty());
  facts.store->error = "Connection refused";
  EXPECT_THAT(advice_on(facts),
              ElementsAre(about("store", "redis://h:1/0, cannot be used: Connection", "--prefix-cache-url")));
  facts.store = {.kind = "s3", .label = "s3://b", .seconds = 0.2, .limit = "a rule"};
  EXPECT_THAT(advice_on(facts),
              ElementsAre(about("store", "No rule bounds", "expires objects"), about("store", "after 200 ms", "nearer")));
}

TEST(Advice, NamesACardThatDoesNothing) {
  MachineFacts facts = fine();
  facts.display_makers = {"Intel"};
  EXPECT_THAT(advice_on(facts), IsEmpty());
  facts.display_makers = {"Intel", "NVIDIA"};
  EXPECT_THAT(advice_on(facts), ElementsAre(about("GPU", "built without CUDA", "make cuda")));
  facts.devices.push_back({.device = "cuda", .missing = "there is no NVIDIA driver"});
  EXPECT_THAT(advice_on(facts), ElementsAre(about("GPU", "cannot be used: there is no NVIDIA driver.", "driver")));
  facts.devices.back() = {.device = "cuda0"};
  EXPECT_THAT(advice_on(facts), ElementsAre(about("GPU", "run on the CPU unless", "-ngl auto")));
}

}  // namespace
}  // namespace skald
