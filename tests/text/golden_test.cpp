// Expected ids of the reference libraries, for the tiny golden tokenizers and for real vocabularies.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/gguf.h"
#include "tests/support/paths.h"
#include "text/detokenizer.h"
#include "text/tokenizer.h"

namespace skald {
namespace {

using Ids = std::vector<TokenId>;
namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

std::unique_ptr<Tokenizer> tokenizer_of(const fs::path& gguf) {
  return Tokenizer::create(Gguf::open(gguf.string(), FileBytes::How::kRead).meta());
}

std::vector<std::string> golden_names() {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(test::data_dir() / "golden/tokenizers"))
    out.push_back(entry.path().filename());
  std::ranges::sort(out);
  return out;
}

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, EveryCase) {
  const fs::path folder = test::data_dir() / "golden/tokenizers" / GetParam();
  const auto t = tokenizer_of(folder / "vocab.gguf");
  const auto file = nlohmann::json::parse(content(folder / "cases.json"));
  EXPECT_EQ(t->vocab().size(), file["vocab_size"].get<int64_t>());
  EXPECT_EQ(t->vocab().bos, file["bos"].get<TokenId>());
  if (file.contains("eos")) {
    ASSERT_EQ(t->vocab().eos, file["eos"].get<TokenId>());
    EXPECT_TRUE(t->vocab().is_end(*t->vocab().eos));
  }
  for (const auto& c : file["cases"]) {
    const auto text = c["text"].get<std::string>();
    EXPECT_EQ(t->encode(text, {.add_special = false}), c["ids"].get<Ids>()) << text;
    EXPECT_EQ(t->encode(text), c["ids_with_special"].get<Ids>()) << text;
    const Ids plain = t->encode(text, {.add_special = false, .parse_special = false});
    EXPECT_EQ(plain, c["ids_no_parse"].get<Ids>()) << text;
    EXPECT_EQ(t->decode(plain), c["decoded"].get<std::string>()) << text;
    Detokenizer stream(*t);
    std::string streamed;
    for (TokenId id : plain) streamed += stream.push(id);
    EXPECT_EQ(streamed + std::string(stream.flush()), c["decoded"].get<std::string>()) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Tokenizers, Golden, ::testing::ValuesIn(golden_names()),
                         [](const auto& info) { return info.param; });

std::vector<std::string> split(const std::string& text, const std::string& at) {
  std::vector<std::string> out;
  size_t begin = 0;
  for (size_t end; (end = text.find(at, begin)) != std::string::npos; begin = end + at.size())
    out.push_back(text.substr(begin, end - begin));
  out.push_back(text.substr(begin));
  return out;
}

TEST(RealVocabularies, EveryCase) {
  const fs::path folder = test::shared_dir() / "vocab";
  if (!fs::exists(folder)) GTEST_SKIP() << "no " << folder;
  int vocabularies = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    fs::path path = entry.path();
    if (path.extension() != ".gguf") continue;
    const auto t = tokenizer_of(path);
    const auto cases = split(content(path.replace_extension(".inp")), "\n__ggml_vocab_test__\n");
    const auto wants = split(content(path.replace_extension(".out")), "\n");
    ASSERT_EQ(cases.size(), wants.size()) << path;
    for (size_t i = 0; i < cases.size(); ++i) {
      std::istringstream line(wants[i]);
      const Ids want{std::istream_iterator<TokenId>(line), {}};
      const Ids got = t->encode(cases[i], {.add_special = false});
      EXPECT_EQ(got, want) << path << ": " << cases[i];
      EXPECT_EQ(t->decode(got), cases[i]) << path;
    }
    ++vocabularies;
  }
  EXPECT_GT(vocabularies, 0);
}

}  // namespace
}  // namespace skald
