// Quantised files: their content, that threads do not matter, and rejected options.
#include "tools/quantize/quantize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>

#include "quant/encoder.h"
#include "quant/registry.h"
#include "tests/support/errors.h"
#include "tests/support/random.h"
#include "tests/support/temp_dir.h"
#include "tools/quantize/split.h"

namespace skald {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Quantize : public testing::Test {
 protected:
  // A file of some tensors with rows of 256.
  void SetUp() override {
    add("token_embd.weight", {32, 256});
    add("blk.0.attn_norm.weight", {256});
    add("blk.0.ffn_up.weight", {40, 256});
    add("blk.0.ffn_down_exps.weight", {3, 16, 256});
    add("blk.0.short.weight", {8, 96});
    add("output.weight", {32, 256});
    in_ = dir_.path("in.gguf");
  }

  void add(const std::string& name, const Shape& shape) {
    tensors_.push_back({name, shape, test::normal(shape.elements(), ++seed_, 0.02f)});
  }

  void write() {
    GgufWriter writer;
    writer.meta.set("general.architecture", std::string("llama"));
    writer.meta.set("llama.block_count", uint32_t{1});
    for (const Tensor& t : tensors_) writer.add_tensor(t.name, t.shape, 0, std::as_bytes(std::span(t.values)));
    writer.write(in_);
  }

  QuantizeReport quantize(const QuantizeSpec& spec, int threads = 1, const std::string& imatrix = "") {
    if (!written_) write();
    written_ = true;
    return quantize_file({in_, dir_.path("out.gguf"), spec, imatrix, threads}, {});
  }

  Error error(const QuantizeSpec& spec, const std::string& imatrix = "") {
    return test::error_of([&] { quantize(spec, 2, imatrix); });
  }

  Gguf out() const { return Gguf::open(dir_.path("out.gguf"), FileBytes::How::kRead); }
  std::string type(const std::string& name) const { return std::string(out().find(name)->type->name); }

  std::vector<float>& values(const std::string& name) { return std::ranges::find(tensors_, name, &Tensor::name)->values; }

  struct Tensor {
    std::string name;
    Shape shape;
    std::vector<float> values;
  };

  test::TempDir dir_;
  std::string in_;
  std::vector<Tensor> tensors_;
  uint64_t seed_ = 0;
  bool written_ = false;
};

TEST_F(Quantize, GivesTensorsTheTypesOfTheMix) {
  const QuantizeReport report = quantize({.type = "Q5_K_M"});
  EXPECT_EQ(type("token_embd.weight"), "q5_k");
  EXPECT_EQ(type("blk.0.attn_norm.weight"), "f32");
  EXPECT_EQ(type("blk.0.short.weight"), "q5_1") << "its rows are no whole blocks of 256";
  EXPECT_EQ(type("output.weight"), "q6_k");
  EXPECT_EQ(report.changed, 5);
  EXPECT_EQ(report.fell_back, 1);
  const Gguf file = out();
  EXPECT_EQ(file.meta().i64("general.file_type"), 17);
  EXPECT_EQ(file.meta().i64("general.quantization_version"), 2);
  EXPECT_EQ(file.meta().str("general.architecture"), "llama");
  int64_t bytes = 0;
  for (const GgufTensor& t : file.tensors()) bytes += static_cast<int64_t>(t.data.size());
  EXPECT_EQ(report.bytes, bytes);
}

TEST_F(Quantize, WritesWhatTheEncoderGives) {
  quantize({.type = "Q4_K_S", .pure = true});
  const Format& q4_k = *find_format("q4_k");
  const std::vector<float>& x = values("blk.0.ffn_down_exps.weight");
  std::vector<std::byte> want(static_cast<size_t>(q4_k.bytes(std::ssize(x))));
  encode_weights(q4_k, x.data(), nullptr, want.data(), std::ssize(x));
  const Gguf file = out();
  EXPECT_TRUE(std::ranges::equal(file.find("blk.0.ffn_down_exps.weight")->data, want));
}

TEST_F(Quantize, DoesNotDependOnThreads) {
  const auto content = [&] {
    std::ifstream file(dir_.path("out.gguf"), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  std::ranges::for_each(values("output.weight"), [](float& v) { v *= 1e-38f; });  // denormals: workers flush them
  for (const char* mix : {"Q4_K_M", "BF16", "F16"}) {
    quantize({.type = mix}, 1);
    const std::string one = content();
    quantize({.type = mix}, 3);
    EXPECT_EQ(one, content()) << mix;
  }
}

TEST_F(Quantize, ObeysFlagsForSingleTensors) {
  quantize({.type = "Q4_K_M",
            .tensor_types = {"blk\\.[0-9]+\\.ffn_up=Q6_K", "ffn=q5_1"},
            .output_type = "f16",
            .embedding_type = "Q8_0"});
  EXPECT_EQ(type("blk.0.ffn_up.weight"), "q6_k");
  EXPECT_EQ(type("blk.0.ffn_down_exps.weight"), "q5_1");
  EXPECT_EQ(type("output.weight"), "f16");
  EXPECT_EQ(type("token_embd.weight"), "q8_0");
  quantize({.type = "Q4_0", .leave_output = true});
  EXPECT_EQ(type("output.weight"), "f32");
  quantize({.type = "COPY"});
  EXPECT_EQ(type("blk.0.ffn_up.weight"), "f32");
}

TEST_F(Quantize, QuantisesAgainOnlyWhenAllowed) {
  quantize({.type = "Q8_0"});
  in_ = dir_.path("again.gguf");
  std::filesystem::rename(dir_.path("out.gguf"), in_);
  const Error e = error({.type = "Q4_K_M"});
  EXPECT_THAT(e.what(), AllOf(HasSubstr("output.weight"), HasSubstr("q8_0"), HasSubstr("quantize.allow_requantize")));
  EXPECT_EQ(dir_.files(), 2u);
  quantize({.type = "Q4_K_M", .allow_requantize = true});
  EXPECT_EQ(type("blk.0.ffn_up.weight"), "q4_k");
}

TEST_F(Quantize, NamesTheWeightThatIsNoNumber) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity(), 1e6f}) {
    values("blk.0.ffn_up.weight")[3 * 256 + 17] = bad;
    written_ = false;
    const Error e = error({.type = "Q4_K_M"});
    EXPECT_EQ(e.code(), Errc::kBadFile);
    EXPECT_THAT(e.what(), AllOf(HasSubstr("blk.0.ffn_up.weight"), HasSubstr("row 3"), HasSubstr("column 17")));
    EXPECT_EQ(dir_.files(), 1u) << "the file that was begun";
  }
  quantize({.type = "BF16"});  // holds 1e6
}

TEST_F(Quantize, CopiesNoNumberThatIsNotFinite) {
  values("blk.0.attn_norm.weight")[7] = std::numeric_limits<float>::quiet_NaN();
  const Error e = error({.type = "Q8_0"});
  EXPECT_EQ(e.code(), Errc::kBadFile);
  EXPECT_THAT(e.what(), HasSubstr("tensor blk.0.attn_norm.weight, row 0, column 7"));
  EXPECT_FALSE(std::filesystem::exists(dir_.path("out.gguf")));
}

TEST_F(Quantize, NamesWhatIsWrongInFlags) {
  EXPECT_THAT(error({.type = "Q4_K_X"}).what(), HasSubstr("'Q4_K_X'"));
  EXPECT_THAT(error({.type = "Q4_0", .tensor_types = {"ffn"}}).what(), AllOf(HasSubstr("'ffn'"), HasSubstr("REGEX=TYPE")));
  EXPECT_THAT(error({.type = "Q4_0", .tensor_types = {"(ffn=q8_0"}}).what(), HasSubstr("'(ffn'"));
  EXPECT_THAT(error({.type = "Q4_0", .tensor_types = {"ffn=iq1_s"}}).what(),
              AllOf(HasSubstr("iq1_s"), HasSubstr("not made")));
  EXPECT_THAT(error({.type = "Q4_0", .output_type = "i32"}).what(), HasSubstr("i32"));
  EXPECT_THAT(error({.type = "Q2_K_S"}).what(), HasSubstr("quantize.imatrix"));
  const Error same = test::error_of([&] { quantize_file({in_, in_, {.type = "Q4_0"}, "", 1}, {}); });
  EXPECT_THAT(same.what(), HasSubstr("is read: it cannot be written too"));
}

TEST_F(Quantize, RowsThatAreNoBlocksOfATypeThatWasAskedForAreAnError) {
  tensors_.back().shape = {85, 96};
  tensors_.back().values.resize(85 * 96);
  EXPECT_THAT(error({.type = "Q4_0", .output_type = "q6_k"}).what(),
              AllOf(HasSubstr("output.weight"), HasSubstr("96"), HasSubstr("256")));
}

class QuantizeOverriding : public Quantize {
 protected:
  void override_with(const std::vector<std::string>& texts) {
    write();
    quantize_file(
        {.in = in_, .out = dir_.path("out.gguf"), .spec = {.type = "Q3_K_M"}, .n_threads = 1, .override_kv = texts}, {});
  }
  std::string error_with(const std::string& text) {
    const Error e = test::error_of([&] { override_with({text}); });
    EXPECT_EQ(dir_.files(), 1u);
    return e.what();
  }
};

TEST_F(QuantizeOverriding, WritesTheValues) {
  override_with(
      {"general.name=str:Other", "llama.context_length=int:4096", "general.file_type=int:99", "general.alignment=int:64"});
  const Gguf file = out();
  EXPECT_EQ(file.meta().str("general.name"), "Other");
  EXPECT_EQ(std::get<uint32_t>(*file.meta().find("llama.context_length")), 4096u);
  EXPECT_EQ(file.meta().i64("general.file_type"), 99) << "which quantising sets too";
  EXPECT_EQ(file.meta().i64("general.alignment"), 64);
}

TEST_F(QuantizeOverriding, ChangesWhatTypesAreChosenFor) {
  override_with({});
  EXPECT_EQ(type("output.weight"), "q6_k");
  override_with({"general.architecture=str:falcon"});
  EXPECT_EQ(type("output.weight"), "q8_0");
}

TEST_F(QuantizeOverriding, NamesTextsThatAreWrong) {
  EXPECT_THAT(error_with("llama.block_count=str:1"), HasSubstr("'llama.block_count=str:1'"));
  EXPECT_THAT(error_with("x=long:1"), HasSubstr("'x=long:1'"));
  EXPECT_THAT(error_with("general.alignment=int:7"), HasSubstr("'general.alignment=int:7'"));
  EXPECT_THAT(error_with("general.architecture=int:7"), HasSubstr("'general.architecture=int:7'"));
  EXPECT_THAT(error_with("split.count=int:3"), HasSubstr("split.count"));
}

class QuantizeSplit : public Quantize {
 protected:
  // Six tensors in three shards, and metadata alone in one before them.
  void SetUp() override {
    Quantize::SetUp();
    write();
    split_file(in_, dir_.path("in"), {.max_tensors = 2, .no_tensor_first_split = true}, {});
    std::filesystem::remove(in_);
    in_ = shard("in", 3);
    written_ = true;
  }

  std::string shard(const std::string& prefix, int number) const {
    return dir_.path(prefix + "-0000" + std::to_string(number) + "-of-00004.gguf");
  }

  QuantizeReport keep(const std::string& out, const QuantizeListener& listener = {}) {
    return quantize_file({.in = in_, .out = dir_.path(out), .spec = {.type = "Q4_0"}, .n_threads = 2, .keep_split = true},
                         listener);
  }

  static std::vector<size_t> sizes(const Gguf& file) {
    std::vector<size_t> out;
    for (const Gguf::Shard& s : file.shards()) out.push_back(s.tensors);
    return out;
  }
};

TEST_F(QuantizeSplit, BecomesOneFileUnlessAskedOtherwise) {
  quantize({.type = "Q4_0"});
  EXPECT_EQ(dir_.files(), 5u);
  EXPECT_EQ(out().tensors().size(), tensors_.size());
  EXPECT_FALSE(out().meta().has("split.count"));
}

TEST_F(QuantizeSplit, KeepsTheTensorsOfEachShard) {
  quantize({.type = "Q4_0"});
  for (const char* name : {"q.gguf", "q"}) {
    const QuantizeReport report = keep(name);
    EXPECT_EQ(report.files, 4);
    EXPECT_EQ(dir_.files(), 9u);
    const Gguf kept = Gguf::open(shard("q", 2), FileBytes::How::kRead), whole = out();
    EXPECT_EQ(sizes(kept), (std::vector<size_t>{0, 2, 2, 2}));
    EXPECT_EQ(kept.meta().entries(), whole.meta().entries());
    for (size_t i = 0; i < tensors_.size(); ++i) {
      EXPECT_EQ(kept.tensors()[i].name, tensors_[i].name);
      EXPECT_EQ(kept.tensors()[i].type, whole.tensors()[i].type);
      EXPECT_TRUE(std::ranges::equal(kept.tensors()[i].data, whole.tensors()[i].data));
    }
  }
}

TEST_F(QuantizeSplit, ThatIsEndedInTheLastShardLeavesNone) {
  const auto stop = [this](const TensorPlan& t) {
    if (t.tensor->name == tensors_.back().name) throw std::runtime_error("stop");
  };
  EXPECT_THROW(keep("q", {.tensor = stop, .on_progress = {}}), std::runtime_error);
  EXPECT_EQ(dir_.files(), 4u);
}

TEST_F(QuantizeSplit, DoesNotReplaceWhatItReads) {
  const auto refuses = [&](const QuantizeJob& job) {
    const Error e = test::error_of([&] { quantize_file(job, {}); });
    return e.code() == Errc::kBadInput && std::string(e.what()).ends_with("is read: it cannot be written too");
  };
  EXPECT_TRUE(refuses({.in = in_, .out = shard("in", 1), .spec = {.type = "Q4_0"}}));
  EXPECT_TRUE(refuses({.in = in_, .out = dir_.path("in.gguf"), .spec = {.type = "Q4_0"}, .keep_split = true}));
  std::filesystem::create_symlink(shard("in", 4), shard("q", 4));
  EXPECT_TRUE(refuses({.in = in_, .out = dir_.path("q"), .spec = {.type = "Q4_0"}, .keep_split = true}));
  EXPECT_EQ(dir_.files(), 5u);
}

TEST_F(Quantize, KeepsTheOneFileOfAModelThatIsNotSplit) {
  write();
  const QuantizeReport report = quantize_file(
      {.in = in_, .out = dir_.path("out.gguf"), .spec = {.type = "Q4_0"}, .n_threads = 1, .keep_split = true}, {});
  EXPECT_EQ(report.files, 1);
  EXPECT_EQ(dir_.files(), 2u);
  EXPECT_FALSE(out().meta().has("split.count"));
}

class QuantizeWithImportance : public Quantize {
 protected:
  // Columns 0 to 15 of the second expert are all that counts there.
  Imatrix matrix() {
    Imatrix m;
    std::vector<float> sums(3 * 256, 1.0f);
    for (size_t i = 0; i < 16; ++i) sums[256 + i] = 1e5f;
    m.entries["blk.0.ffn_down_exps.weight"] = {sums, {1, 1, 1}};
    m.datasets = {"some.txt"};
    m.chunk_count = 3;
    m.chunk_size = 512;
    return m;
  }

  // Of the columns' mean squared loss in a matrix of the experts.
  double loss(int64_t expert, int64_t begin, int64_t end) {
    const Gguf file = out();
    const GgufTensor& t = *file.find("blk.0.ffn_down_exps.weight");
    std::vector<float> y(static_cast<size_t>(t.shape.elements()));
    format_of(*t.type)->decode(t.data.data(), y.data(), std::ssize(y));
    const std::vector<float>& x = values(t.name);
    double sum = 0;
    for (int64_t row = 16 * expert; row < 16 * (expert + 1); ++row)
      for (int64_t c = begin; c < end; ++c)
        sum += std::pow(x[static_cast<size_t>(row * 256 + c)] - y[static_cast<size_t>(row * 256 + c)], 2);
    return sum / static_cast<double>(16 * (end - begin));
  }
};

TEST_F(QuantizeWithImportance, IsCloserWhereAnExpertsColumnsCount) {
  const std::string path = dir_.path("imatrix.gguf");
  write_imatrix(matrix(), path, ImatrixFormat::kGguf);
  quantize({.type = "Q4_0", .pure = true});
  const double plain = loss(1, 0, 16), other_plain = loss(0, 0, 16);
  const QuantizeReport report = quantize({.type = "Q4_0", .pure = true}, 2, path);
  EXPECT_LT(loss(1, 0, 16), 0.9 * plain);
  EXPECT_NEAR(loss(0, 0, 16), other_plain, 0.2 * other_plain) << "of another expert, whose columns count alike";
  EXPECT_EQ(report.without_importance, 4);
  const Gguf file = out();
  EXPECT_EQ(file.meta().str("quantize.imatrix.file"), path);
  EXPECT_EQ(file.meta().str("quantize.imatrix.dataset"), "some.txt");
  EXPECT_EQ(file.meta().i64("quantize.imatrix.entries_count"), 1);
  EXPECT_EQ(file.meta().i64("quantize.imatrix.chunks_count"), 3);
}

TEST_F(QuantizeWithImportance, OfOtherWeightsIsNotUsed) {
  Imatrix m = matrix();
  m.entries["blk.0.ffn_up.weight"] = {std::vector<float>(256, 1.0f), {1}};
  write_imatrix(m, dir_.path("imatrix.gguf"), ImatrixFormat::kGguf);
  write();
  QuantizeJob job{.in = in_, .out = dir_.path("out.gguf"), .spec = {.type = "Q4_0", .pure = true}, .n_threads = 2};
  quantize_file(job, {});
  const double plain = loss(1, 0, 16);
  job.imatrix = dir_.path("imatrix.gguf");
  job.include_weights = {"ffn_up"};
  EXPECT_EQ(quantize_file(job, {}).without_importance, 4);
  EXPECT_EQ(loss(1, 0, 16), plain);
  EXPECT_EQ(out().meta().i64("quantize.imatrix.entries_count"), 1);
  std::swap(job.include_weights, job.exclude_weights);
  quantize_file(job, {});
  EXPECT_LT(loss(1, 0, 16), 0.9 * plain);
  job.exclude_weights = {"weight"};
  EXPECT_EQ(quantize_file(job, {}).without_importance, 0) << "there is none";
  EXPECT_EQ(loss(1, 0, 16), plain);
  EXPECT_FALSE(out().meta().has("quantize.imatrix.file"));
}

TEST_F(QuantizeWithImportance, OfAnotherSizeIsRefused) {
  Imatrix m = matrix();
  m.entries["blk.0.ffn_up.weight"] = {std::vector<float>(128, 1.0f), {1}};
  write_imatrix(m, dir_.path("imatrix.gguf"), ImatrixFormat::kGguf);
  EXPECT_THAT(error({.type = "Q4_0"}, dir_.path("imatrix.gguf")).what(),
              AllOf(HasSubstr("blk.0.ffn_up.weight"), HasSubstr("128")));
}

TEST_F(Quantize, WithoutAFileToWriteSaysHowLargeItWouldBe) {
  write();
  const QuantizeReport dry = quantize_file({in_, "", {.type = "Q4_K_M"}, "", 1}, {});
  EXPECT_EQ(dir_.files(), 1u);
  written_ = true;
  EXPECT_EQ(dry.bytes, quantize({.type = "Q4_K_M"}).bytes);
}

}  // namespace
}  // namespace skald
