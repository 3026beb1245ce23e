// Damaged models in process: each loads and computes two steps, or throws an Error; nothing else ever happens.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "skald/error.h"
#include "tests/models/golden.h"
#include "tests/support/loaded_small_model.h"

namespace skald {
namespace {

class HostileModel : public testing::Test {
 protected:
  static constexpr size_t kHead = 60000;  // the metadata, the tensor list and the first weights

  size_t below(size_t n) { return static_cast<size_t>(random_() % n); }

  void flip(std::vector<std::byte>& bytes, size_t within) { bytes[below(within)] ^= static_cast<std::byte>(1u << below(8)); }

  void survive(const std::vector<std::byte>& bytes) {
    try {
      const auto model = LoadedModel::from_gguf(Gguf::parse(bytes), "damaged");
      Runner runner(model->step_model(), backend_, {.n_ctx = 64});
      KvSequence sequence = runner.new_sequence();
      const std::vector<TokenId> prompt = {1, 5, 9}, next = {3};
      for (const std::vector<TokenId>* ids : {&prompt, &next, &next}) {
        const StepItem item{&sequence, *ids, 1};
        const Logits logits = runner.run({&item, 1});
        ASSERT_EQ(logits.cols(), model->n_vocab());
      }
      ++computed_;
    } catch (const Error& e) {
      EXPECT_STRNE(e.what(), "");
      EXPECT_NE(e.code(), Errc::kInternal) << e.what();
      ++refused_;
    }
  }

  explicit HostileModel(const std::string& name = "llama_mha_q8_0")
      : file_(FileBytes::open((test::data_dir() / "golden" / name / "model.gguf").string(), FileBytes::How::kRead)) {}

  const FileBytes file_;
  const std::vector<std::byte> original_{file_.bytes().begin(), file_.bytes().end()};
  CpuBackend backend_{1, {}};
  std::mt19937_64 random_{7};
  int computed_ = 0, refused_ = 0;
};

class HostileFamilies : public HostileModel, public testing::WithParamInterface<const char*> {
 protected:
  HostileFamilies() : HostileModel(GetParam()) {}
};

TEST_P(HostileFamilies, FlippedBits) {
  for (int i = 0; i < 400; ++i) {
    std::vector<std::byte> bytes = original_;
    const size_t flips = std::array{1, 1, 4, 16}[below(4)];
    for (size_t f = 0; f < flips; ++f) flip(bytes, i % 2 ? kHead : 800);
    survive(bytes);
  }
  EXPECT_GT(computed_, 50);
  EXPECT_GT(refused_, 50);
}

INSTANTIATE_TEST_SUITE_P(All, HostileFamilies, testing::Values("llama_mha_q8_0", "mixtral", "gptoss", "deepseek3"),
                         [](const auto& test) { return std::string(test.param); });

TEST_F(HostileModel, CutShort) {
  for (int i = 0; i < 100; ++i) {
    const std::vector<std::byte> bytes(original_.begin(), original_.begin() + static_cast<int64_t>(below(kHead)));
    survive(bytes);
  }
  EXPECT_EQ(computed_, 0);
}

// Bits of the weights themselves: infinities and NaNs run through every kernel, and end a step where they reach the logits.
TEST_F(HostileModel, WeightsThatAreNotNumbers) {
  const size_t head = static_cast<size_t>(Gguf::parse(original_).tensors().front().data.data() - original_.data());
  for (int i = 0; i < 50; ++i) {
    std::vector<std::byte> bytes = original_;
    for (int n = 0; n < 2000; ++n) bytes[head + below(bytes.size() - head)] = std::byte{0xff};
    survive(bytes);
  }
  EXPECT_EQ(computed_ + refused_, 50);
  EXPECT_GT(refused_, 0);
}

/// A model of ours with one tensor's or key's description replaced by something that a file may say.
TEST_F(HostileModel, IntegerEmbeddingsAreRefused) {
  const auto original = test::load({.tied = false});
  WeightSet set = original->weights();
  set.weights.at("token_embd.weight").type = find_gguf_type(format_i32.id);
  try {
    const auto model = LoadedModel::from_memory(original->meta(), set, {});
    Runner runner(model->step_model(), backend_, {.n_ctx = 64});
    runner.program(1, 1);
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::kUnsupported);
    EXPECT_NE(std::string(e.what()).find("token_embd"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace skald
