// Facts read from made-up /proc and /sys.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "backend/backend.h"
#include "tests/support/temp_dir.h"
#include "tools/doctor/cpu_facts.h"
#include "tools/doctor/disk_facts.h"
#include "tools/doctor/display_makers.h"
#include "tools/doctor/memory_facts.h"

namespace skald {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class SystemFacts : public testing::Test {
 protected:
  void put(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(dir_.path(path)).parent_path());
    dir_.write(path, text);
  }
  std::string root() const { return dir_.path(""); }

  test::TempDir dir_;
};

TEST_F(SystemFacts, OfMemoryAreThoseOfTheSystem) {
  put("proc/meminfo",
      "MemTotal:       2048 kB\nMemFree:  7 kB\nMemAvailable:   1024 kB\nSwapTotal:  512 kB\nSwapFree:   500 kB\n");
  put("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  const MemoryFacts facts = memory_facts(root());
  EXPECT_EQ(facts.total, 2048 << 10);
  EXPECT_EQ(facts.available, 1024 << 10);
  EXPECT_EQ(facts.swap_total, 512 << 10);
  EXPECT_EQ(facts.swap_used, 12 << 10);
  EXPECT_EQ(facts.huge_pages, "madvise");
  EXPECT_EQ(facts.group_room, std::nullopt);
  EXPECT_EQ(facts.usable(), 1024 << 10);
}

TEST(MemoryFacts, EndWhereTheControlGroupDoes) {
  MemoryFacts facts{.available = 1024 << 10, .group_room = 7000};
  EXPECT_EQ(facts.usable(), 7000);
  facts.group_room = 80 << 20;
  EXPECT_EQ(facts.usable(), 1024 << 10);
}

TEST_F(SystemFacts, OfMemoryAreUnknownWhereFilesAreMissingOrHoldNonsense) {
  EXPECT_EQ(memory_facts(root()).total, 0);
  put("proc/meminfo", "MemTotal: -5 kB\nMemAvailable: 99999999999999999999 kB\nSwapTotal: lots\nSwapFree");
  put("sys/kernel/mm/transparent_hugepage/enabled", "]always[\n");
  const MemoryFacts facts = memory_facts(root());
  EXPECT_EQ(facts.total, 0);
  EXPECT_EQ(facts.available, 0);
  EXPECT_EQ(facts.swap_total, std::nullopt);
  EXPECT_EQ(facts.swap_used, 0);
  EXPECT_EQ(facts.huge_pages, "");
}

TEST_F(SystemFacts, OfCpusHaveLoadStolenTimeAndClock) {
  put("proc/loadavg", "1.50 0.75 0.50 1/200 4242\n");
  put("proc/stat", "cpu  100 0 50 700 50 0 0 100 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n");
  put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  put("sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "acpi-cpufreq\n");
  CpuFacts facts;
  add_clock_and_load(facts, root());
  EXPECT_EQ(facts.load, 1.5);
  EXPECT_DOUBLE_EQ(facts.stolen, 0.1);
  EXPECT_EQ(facts.governor, "powersave");
  EXPECT_EQ(facts.driver, "acpi-cpufreq");
}

TEST_F(SystemFacts, OfCpusAreUnknownWhereFilesHoldNonsense) {
  put("proc/loadavg", "-3\n");
  put("proc/stat", "cpu 1 2 3\n");
  CpuFacts facts{.load = 7, .stolen = 7};
  add_clock_and_load(facts, root());
  EXPECT_EQ(facts.load, std::nullopt);
  EXPECT_EQ(facts.stolen, 0);
  EXPECT_EQ(facts.governor, "");
}

TEST(CpuFactsHere, NameATierThatTheCpuRuns) {
  const CpuFacts facts = cpu_facts(make_backend({})->info());
  EXPECT_THAT(facts.tiers, testing::Contains(facts.tier));
  EXPECT_EQ(facts.tiers.front(), "scalar");
  EXPECT_GE(facts.quota, 1);
  EXPECT_LE(facts.quota, static_cast<int>(facts.usable.size()));
  EXPECT_LE(facts.usable.size(), facts.present.size());
}

TEST_F(SystemFacts, OfADiskSayWhetherAFolderCanBeMade) {
  const DiskFacts facts = disk_facts("models", dir_.path("not/there/yet"));
  EXPECT_TRUE(facts.writable);
  EXPECT_GT(facts.free, 0);
  EXPECT_GE(facts.total, facts.free);
  EXPECT_FALSE(disk_facts("models", dir_.write("file", "x") + "/below").writable);
}

TEST_F(SystemFacts, OfGraphicsCardsAreTheirMakers) {
  EXPECT_THAT(display_makers(root()), IsEmpty());
  const auto card = [&](const std::string& at, const char* kind, const char* maker) {
    put("sys/bus/pci/devices/" + at + "/class", kind);
    put("sys/bus/pci/devices/" + at + "/vendor", maker);
  };
  card("0000:00:01.0", "0x020000\n", "0x10de\n");  // a network card
  card("0000:00:02.0", "0x030000\n", "0x8086\n");
  card("0000:00:03.0", "0x030200\n", "0x10de\n");
  card("0000:00:04.0", "0x030200\n", "0x10de\n");
  card("0000:00:05.0", "0x030000\n", "0x1234\n");  // an emulated one
  EXPECT_THAT(display_makers(root()), ElementsAre("Intel", "NVIDIA"));
}

}  // namespace
}  // namespace skald
