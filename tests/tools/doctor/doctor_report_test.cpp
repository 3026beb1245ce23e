// The report as text and as JSON, of made-up machines.
#include "tools/doctor/doctor_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace skald {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Diagnosis diagnosis() {
  Diagnosis d;
  d.facts.cpu = {.name = "a CPU",
                 .present = {0, 1, 2, 3},
                 .usable = {0, 1},
                 .quota = 2,
                 .tiers = {"scalar", "avx2", "avx512"},
                 .tier = "avx2",
                 .load = 0};
  d.facts.memory = {.total = int64_t{8} << 30, .available = int64_t{6} << 30, .swap_total = 0, .read_gb_per_s = 12.34};
  d.facts.disks = {{.use = "models", .folder = "/m", .total = 4 << 20, .free = 1 << 20}};
  d.facts.devices = {{.device = "cuda", .missing = "there is no NVIDIA driver"}};
  d.choice = {.threads = 2, .tier = "avx2", .k_type = "f16", .v_type = "f16", .layout = "dims", .context = 32768};
  d.choice.models = {{.shape = "llama-3.2-1b", .type = "q8_0", .bytes = int64_t{3} << 29, .most_tokens_per_s = 10}};
  d.advice = {{"CPU", "It is slow.", "Make it fast."}};
  return d;
}

TEST(DoctorText, HasAllParts) {
  const std::string text = doctor_text(diagnosis());
  EXPECT_THAT(text, HasSubstr("  CPUs          2 of 4 usable, time of 2; load 0.0\n"));
  EXPECT_THAT(text, HasSubstr("  tiers         scalar [avx2] avx512\n"));
  EXPECT_THAT(text, HasSubstr("  cgroups       no limit\n"));
  EXPECT_THAT(text, HasSubstr("  swap          none\n"));
  EXPECT_THAT(text, HasSubstr("  huge pages    the system does not say\n"));
  EXPECT_THAT(text, HasSubstr("  read speed    12.3 GB/s\n"));
  EXPECT_THAT(text, HasSubstr("/m (the system does not say): 1.00 MiB of 4.00 MiB free; cannot be written to\n"));
  EXPECT_THAT(text, HasSubstr("  cuda          none: there is no NVIDIA driver\n"));
  EXPECT_THAT(text, HasSubstr("keys f16 by dims, values f16\n"));
  EXPECT_THAT(text, HasSubstr("| llama-3.2-1b | q8_0    | f16   | 1.5 |             10.0 |\n"));
  EXPECT_THAT(text, HasSubstr("\nFaster\n  CPU: It is slow.\n    Make it fast.\n"));
  EXPECT_THAT(text, Not(HasSubstr("  context   ")));  // no model was named
}

TEST(DoctorText, SaysWhatIsUnknown) {
  Diagnosis d = diagnosis();
  d.facts.cpu.load.reset();
  d.facts.memory.swap_total.reset();
  EXPECT_THAT(doctor_text(d), HasSubstr("time of 2; load unknown\n"));
  EXPECT_THAT(doctor_text(d), HasSubstr("  swap          the system does not say\n"));
  EXPECT_THAT(doctor_json(d), AllOf(HasSubstr("\"load\": null"), HasSubstr("\"swap_bytes\": null")));
}

TEST(DoctorText, SaysThatNothingHoldsModelsUp) {
  Diagnosis d = diagnosis();
  d.advice.clear();
  EXPECT_THAT(doctor_text(d), HasSubstr("\nNothing here holds models up.\n"));
}

TEST(DoctorText, TellsOfTheModelThatWasNamed) {
  Diagnosis d = diagnosis();
  d.choice.model = {
      .name = "m", .type = "q4_k", .weight_bytes = 1 << 30, .trained = 8192, .context = 4096, .most_tokens_per_s = 7.25};
  EXPECT_THAT(doctor_text(d), HasSubstr("  context       4,096 of 8,192 tokens fit; "));
  EXPECT_THAT(doctor_text(d), HasSubstr("  speed         at most 7.2 tokens/s"));
}

TEST(DoctorJson, HasTheFactsAndNullForWhatIsUnknown) {
  const auto json = nlohmann::json::parse(doctor_json(diagnosis()));
  EXPECT_EQ(json["cpu"]["usable"], "0-1");
  EXPECT_EQ(json["cpu"]["tier"], "avx2");
  EXPECT_TRUE(json["cpu"]["governor"].is_null());
  EXPECT_EQ(json["memory"]["bytes"], int64_t{8} << 30);
  EXPECT_TRUE(json["memory"]["group_room_bytes"].is_null());
  EXPECT_TRUE(json["memory"]["huge_pages"].is_null());
  EXPECT_EQ(json["disks"][0]["writable"], false);
  EXPECT_EQ(json["devices"][0]["missing"], "there is no NVIDIA driver");
  EXPECT_EQ(json["choice"]["models"][0]["shape"], "llama-3.2-1b");
  EXPECT_TRUE(json["choice"]["model"].is_null());
  EXPECT_EQ(json["advice"][0]["remedy"], "Make it fast.");
}

TEST(DoctorJson, IsValidWhateverNamesHold) {
  Diagnosis d = diagnosis();
  d.facts.disks[0].folder = "/\xff\x1b[2J";
  d.choice.model = {.name = "\xc3"};
  EXPECT_TRUE(nlohmann::json::accept(doctor_json(d)));
}

}  // namespace
}  // namespace skald
