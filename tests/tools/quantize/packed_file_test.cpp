// A file of panels gives the results of its model, and is written whole or not at all.
#include "tools/quantize/packed_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/packing.h"
#include "stepping/runner.h"
#include "tests/models/golden.h"
#include "tests/support/close_to.h"
#include "tests/support/errors.h"
#include "tests/support/loaded_small_model.h"
#include "tests/support/temp_dir.h"

namespace skald {
namespace {

std::string golden_file(const std::string& name) { return (test::data_dir() / "golden" / name / "model.gguf").string(); }

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class PackedModel : public testing::TestWithParam<std::string> {
 protected:
  std::vector<float> logits(const std::string& path) {
    const auto model = test::Golden::load_gguf(path);
    CpuBackend backend(2, {});
    Runner runner(model->step_model(), backend, {.n_ctx = 64});
    return test::logits_of(runner, std::vector<TokenId>{1, 5, 9, 2, 7}, 5, 3);
  }
  test::TempDir dir_;
  std::string out_ = dir_.path("packed.gguf");
};

TEST_P(PackedModel, GivesTheBitsOfItsOriginal) {
  const PackedFile written = write_packed_file(golden_file(GetParam()), out_, {});
  EXPECT_GT(written.packed, 0);
  EXPECT_TRUE(test::same_bits(logits(out_), logits(golden_file(GetParam()))));
}

TEST_P(PackedModel, IsWhatPackingItAgainGives) {
  const std::string again = dir_.path("again.gguf");
  const PackedFile first = write_packed_file(golden_file(GetParam()), out_, {});
  const PackedFile second = write_packed_file(out_, again, {});
  EXPECT_EQ(first.packed, second.packed);
  EXPECT_EQ(first.bytes, second.bytes);
  EXPECT_EQ(bytes_of(out_), bytes_of(again));
}

TEST_P(PackedModel, NeedsNoPackingAnyMore) {
  write_packed_file(golden_file(GetParam()), out_, {});
  const auto model = test::Golden::load_gguf(out_);
  const auto in_panels = [&](std::string_view name) { return model->weights().in_panels(name); };
  EXPECT_TRUE(pack_jobs(model->build_graph({1, 1}), in_panels).empty());
}

INSTANTIATE_TEST_SUITE_P(All, PackedModel, testing::ValuesIn(test::golden_names([](const test::Golden&) { return true; })),
                         [](const auto& test) { return test.param; });

TEST(WritePackedFileTo, TheFileItselfIsRefused) {
  const Error e = test::error_of([] { write_packed_file(golden_file("llama_mha"), golden_file("llama_mha"), {}); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_THAT(e.what(), testing::HasSubstr("one file"));
}

TEST(WritePackedFileTo, APlaceThatIsGivenUpHalfwayStaysEmpty) {
  test::TempDir dir;
  struct Stop {};
  EXPECT_THROW(write_packed_file(golden_file("llama_mha"), dir.path("out.gguf"),
                                 [](int64_t done, int64_t total) {
                                   if (3 * done > total) throw Stop();
                                 }),
               Stop);
  EXPECT_EQ(dir.files(), 0u);
}

}  // namespace
}  // namespace skald
