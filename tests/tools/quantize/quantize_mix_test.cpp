// The mixes: which type each tensor gets. llama.cpp's answers are in tests/data/quant/mixes.json (tools/quant_mixes.py).
#include "tools/quantize/quantize_mix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "quant/encoder.h"
#include "quant/registry.h"
#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/temp_dir.h"
#include "tools/quantize/quantize_plan.h"

namespace skald {
namespace {

using testing::HasSubstr;

TEST(QuantizeMix, IsFoundByItsNameInAnyCase) {
  for (const QuantizeMix& m : quantize_mixes()) {
    EXPECT_EQ(&find_mix(m.name), &m);
    if (m.format.empty()) continue;
    const Format* format = find_format(m.format);
    ASSERT_NE(format, nullptr) << m.name;
    EXPECT_TRUE(has_encoder(*format)) << m.name;
  }
  EXPECT_EQ(find_mix("q4_k_m").name, "Q4_K_M");
  EXPECT_EQ(find_mix("Q4_k").name, "Q4_K_M");
}

TEST(QuantizeMix, SaysWhichTypesAreKnown) {
  const Error unknown = test::error_of([] { find_mix("Q9_K"); });
  EXPECT_EQ(unknown.code(), Errc::kBadInput);
  EXPECT_THAT(unknown.what(), AllOf(HasSubstr("'Q9_K'"), HasSubstr("Q4_K_M")));
  const Error read_only = test::error_of([] { find_mix("iq2_xxs"); });
  EXPECT_EQ(read_only.code(), Errc::kUnsupported);
  EXPECT_THAT(read_only.what(), HasSubstr("IQ2_XXS"));
  EXPECT_EQ(test::error_of([] { find_mix("nvfp4"); }).code(), Errc::kUnsupported);
}

// As llama.cpp has it since July 2026, later than mixes.json.
TEST(QuantizeMix, OfSignsAndTernaryModelsKeepsLogitsAndEmbeddingsFiner) {
  const MixModel model((Meta()));
  const auto format = [&](const char* mix, MixPart part) {
    return mixed_format(find_mix(mix), {.model = model, .part = part, .index = 0, .count = 16, .columns = 256}).name;
  };
  for (const auto& [mix, most, embedding] : {std::tuple{"Q1_0", "q1_0", "q1_0"}, {"Q2_0", "q2_0", "q4_k"}}) {
    EXPECT_EQ(format(mix, MixPart::kOutput), "q6_k") << mix;
    EXPECT_EQ(format(mix, MixPart::kTokenEmbedding), embedding) << mix;
    for (const MixPart part : {MixPart::kAttnV, MixPart::kAttnK, MixPart::kAttnOutput, MixPart::kFfnDown, MixPart::kOther})
      EXPECT_EQ(format(mix, part), most) << mix;
    EXPECT_EQ(fitting_format(*find_format(most), 96).name, "q4_0") << mix;
  }
}

TEST(QuantizeMix, WithImportanceGuardsTheFirstLayersOfSimpleTypes) {
  Meta meta;
  meta.set("general.architecture", std::string("llama"));
  meta.set("llama.block_count", uint32_t{16});
  const MixModel model(meta);
  const auto down = [&](const char* mix, int64_t index, bool weighted) {
    return mixed_format(find_mix(mix), {.model = model,
                                        .part = MixPart::kFfnDown,
                                        .index = index,
                                        .count = 16,
                                        .columns = 256,
                                        .weighted = weighted})
        .name;
  };
  EXPECT_EQ(down("Q4_0", 1, true), "q4_1");
  EXPECT_EQ(down("Q4_0", 2, true), "q4_0");
  EXPECT_EQ(down("Q4_0", 1, false), "q4_0");
  EXPECT_EQ(down("Q5_0", 0, true), "q5_1");
  EXPECT_EQ(down("IQ4_XS", 0, true), "iq4_xs");
  EXPECT_EQ(down("IQ4_XS", 0, false), "q5_k");
}

// A model of the file: the tensors that tools/quant_mixes.py lists.
void write_model(const nlohmann::json& model, const std::string& path) {
  GgufWriter writer;
  const std::string arch = model["architecture"];
  writer.meta.set("general.architecture", arch);
  for (const auto& [key, value] : model["metadata"].items()) writer.meta.set(arch + "." + key, value.get<uint32_t>());
  const int64_t columns = model["columns"];
  static const std::vector<std::byte> zeros(8 * 256 * 2);
  const auto add = [&](const std::string& name, const Shape& shape, const Format& format) {
    writer.add_tensor(name, shape, format.id, std::span(zeros).first(static_cast<size_t>(format.bytes(shape.elements()))));
  };
  add("token_embd.weight", {8, columns}, format_f16);
  add("output_norm.weight", {columns}, format_f32);
  for (const std::string name : model["others"]) add(name + ".weight", {8, columns}, format_f16);
  const auto experts = model["experts"].get<std::set<std::string>>();
  for (int layer = 0; layer < model["layers"]; ++layer) {
    const std::string prefix = "blk." + std::to_string(layer) + ".";
    add(prefix + "attn_norm.weight", {columns}, format_f32);
    for (const std::string part : model["parts"])
      add(prefix + part + ".weight", experts.contains(part) ? Shape{2, 4, columns} : Shape{8, columns}, format_f16);
  }
  writer.write(path);
}

std::vector<std::string> expected(const nlohmann::json& types, size_t n) {
  std::string most;
  for (const auto& [type, places] : types.items())
    if (places.empty()) most = type;
  std::vector<std::string> out(n, most);
  for (const auto& [type, places] : types.items())
    for (const size_t i : places) out.at(i) = type;
  return out;
}

TEST(QuantizeMix, ChoosesWhatLlamaCppChooses) {
  std::ifstream in(test::data_dir() / "quant/mixes.json");
  const nlohmann::json models = nlohmann::json::parse(in);
  const test::TempDir dir;
  for (const auto& [name, model] : models.items()) {
    write_model(model, dir.path("m.gguf"));
    const Gguf file = Gguf::open(dir.path("m.gguf"), FileBytes::How::kRead);
    for (const auto& [mix, types] : model["types"].items()) {
      const std::vector<TensorPlan> plan = plan_quantize(file, {.type = mix});
      const std::vector<std::string> want = expected(types, plan.size());
      for (size_t i = 0; i < plan.size(); ++i)
        EXPECT_EQ(plan[i].type().name, want[i]) << name << ", " << mix << ", " << plan[i].tensor->name;
    }
  }
}

}  // namespace
}  // namespace skald
