// Changes of modules beside the weights themselves: B A, brought into the file like a weight, is what the file's own A and B
// make.
#include "convert/module_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "convert/tensor_names.h"
#include "tests/convert/peft_folder.h"
#include "tests/support/close_to.h"

namespace skald {
namespace {

using test::PeftFolder;

struct FollowCase {
  const char* golden;
  const char* module;
  int64_t rows, cols;
  size_t tensors;       // of the file, that hold elements of the weight
  bool in_out = false;  // the checkpoint keeps the weight as (cols, rows)
};

class Follow : public testing::TestWithParam<FollowCase> {};

std::vector<float> values_of(const LazyTensor& data) {
  std::vector<float> out(static_cast<size_t>(data.shape.elements()));
  float* to = out.data();
  for (size_t part = 0; part < data.parts.size(); ++part)
    for (int64_t row = 0, n = data.rows_of_part(part); row < data.parts[part].rows(); row += n) {
      data.read(part, row, to);
      to += n * data.parts[part].cols();
    }
  return out;
}

// factor * B A as the checkpoint would keep a weight.
std::vector<float> weight_of(const PeftFolder& folder, const FollowCase& c, float factor) {
  const std::string module = c.module;
  const std::vector<float>&a = folder.values(module + ".lora_A.weight"), &b = folder.values(module + ".lora_B.weight");
  std::vector<float> out(static_cast<size_t>(c.rows * c.cols));
  for (int64_t i = 0; i < c.rows; ++i)
    for (int64_t j = 0; j < c.cols; ++j)
      for (int64_t r = 0; r < 2; ++r)
        out[static_cast<size_t>(c.in_out ? j * c.rows + i : i * c.cols + j)] +=
            factor * b[static_cast<size_t>(i * 2 + r)] * a[static_cast<size_t>(r * c.cols + j)];
  return out;
}

NamedTensors named(const Checkpoint& checkpoint, const Meta& base) {
  const std::string arch = base.str("general.architecture");
  Meta written;
  const Hyperparameters none(written, arch);
  for (const HfFamily* family : hf_families())
    if (family->arch == arch) {
      NamedTensors out = name_tensors(*family, checkpoint, MetaView(base, arch), false, none);
      if (out.left_over.empty()) return out;
    }
  return {};
}

TEST_P(Follow, TheWeightIntoTheFile) {
  const FollowCase& c = GetParam();
  const Meta base = test::golden_meta(c.golden);
  PeftFolder folder;
  folder.module(c.module, c.rows, c.cols);
  const Adapter adapter = folder.read(base);
  const std::vector<float> weight = weight_of(folder, c, 3);
  const std::vector<int64_t> shape = c.in_out ? std::vector{c.cols, c.rows} : std::vector{c.rows, c.cols};
  const Checkpoint checkpoint({{std::string(c.module) + ".weight", Element::kF32, shape, std::as_bytes(std::span(weight))}});
  const NamedTensors want = named(checkpoint, base);
  ASSERT_EQ(want.tensors.size(), c.tensors);
  ASSERT_EQ(adapter.changes.size(), c.tensors);
  for (const NamedTensor& t : want.tensors) {
    ASSERT_TRUE(adapter.changes.contains(t.name)) << t.name;
    const LowRank& change = adapter.changes.at(t.name);
    EXPECT_EQ(change.a.shape().rank(), t.data.shape.rank());
    EXPECT_TRUE(test::close_to(test::dense(change), values_of(t.data), 1e-4)) << t.name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Follow,
                         testing::Values(FollowCase{"llama_gqa", "model.layers.1.self_attn.q_proj", 256, 256, 1},
                                         FollowCase{"llama_gqa", "model.layers.1.self_attn.k_proj", 64, 256, 1},
                                         FollowCase{"llama_gqa", "model.layers.0.mlp.down_proj", 256, 256, 1},
                                         FollowCase{"gemma3", "language_model.model.layers.0.self_attn.q_proj", 64, 64, 1},
                                         FollowCase{"falcon_40b", "transformer.h.0.self_attention.query_key_value", 64, 32,
                                                    1},
                                         FollowCase{"gptneox", "gpt_neox.layers.1.attention.query_key_value", 96, 32, 1},
                                         FollowCase{"internlm2", "model.layers.0.attention.wqkv", 64, 32, 3},
                                         FollowCase{"phi3", "model.layers.0.mlp.gate_up_proj", 128, 48, 1},
                                         FollowCase{"phi3", "model.layers.0.self_attn.qkv_proj", 144, 48, 1},
                                         FollowCase{"gpt2", "transformer.h.0.attn.c_attn", 96, 32, 1, true},
                                         FollowCase{"gpt2", "transformer.h.1.mlp.c_proj", 32, 64, 1, true},
                                         FollowCase{"gpt2", "lm_head", 384, 32, 1},
                                         FollowCase{"qwen35", "model.layers.0.linear_attn.in_proj_qkv", 128, 32, 1},
                                         FollowCase{"qwen35", "model.layers.0.linear_attn.in_proj_z", 64, 32, 1},
                                         FollowCase{"qwen35", "model.layers.0.linear_attn.in_proj_a", 4, 32, 1},
                                         FollowCase{"qwen35", "model.layers.0.linear_attn.out_proj", 32, 64, 1},
                                         FollowCase{"qwen3next", "model.layers.0.linear_attn.in_proj_qkvz", 192, 32, 2},
                                         FollowCase{"deepseek3", "model.layers.0.self_attn.kv_b_proj", 160, 32, 2},
                                         FollowCase{"gemma3n", "model.language_model.altup_projections.0", 32, 32, 1},
                                         FollowCase{"granite4", "model.layers.0.shared_mlp.input_linear", 64, 32, 2}),
                         [](const auto& info) {
                           std::string name = std::string(info.param.golden) + "_" + info.param.module;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace skald
