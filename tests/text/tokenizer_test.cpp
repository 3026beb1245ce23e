#include "text/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <random>
#include <thread>

#include "tests/support/errors.h"
#include "tests/text/tiny_charsmap.h"
#include "tests/text/tiny_vocab.h"

namespace skald {
namespace {

using test::bpe_meta;
using test::error_of;
using test::pieces_of;
using test::spm_meta;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Tokenizer, UnknownKinds) {
  for (const char* model : {"rwkv", "plamo2", ""}) {
    const Error e = error_of([&] { Tokenizer::create(test::vocab_meta(model, {{"a"}})); });
    EXPECT_EQ(e.code(), Errc::kUnsupported);
    EXPECT_THAT(e.what(), HasSubstr("\"" + std::string(model) + "\""));
    EXPECT_THAT(e.what(), HasSubstr("llama, gemma4, gpt2, t5, bert"));
  }
  EXPECT_EQ(error_of([] { Tokenizer::create(Meta()); }).code(), Errc::kNotFound);
}

TEST(Tokenizer, SpecialTokens) {
  Meta meta = bpe_meta("gpt-2", {},
                       {{"<|a|>", PieceKind::kControl}, {"<|a|>x", PieceKind::kControl}, {"[u]", PieceKind::kUserDefined}});
  meta.set("tokenizer.ggml.bos_token_id", uint32_t{256});
  meta.set("tokenizer.ggml.eos_token_id", uint32_t{257});
  meta.set("tokenizer.ggml.add_bos_token", true);
  meta.set("tokenizer.ggml.add_eos_token", true);
  const auto t = Tokenizer::create(meta);
  EXPECT_THAT(t->encode("z<|a|>xy[u]"), ElementsAre(256, 'z', 257, 'y', 258, 257));
  EXPECT_THAT(t->encode("<|a|>[u]", {.add_special = false, .parse_special = false}),
              ElementsAre('<', '|', 'a', '|', '>', 258));
  EXPECT_THAT(t->encode(""), ElementsAre(256, 257));
  EXPECT_EQ(t->decode(t->encode("z<|a|>y")), "zy");
  EXPECT_EQ(t->decode(t->encode("z<|a|>y", {.add_special = false}), /*special=*/true), "z<|a|>y");
  EXPECT_EQ(t->piece_bytes(256), "<|a|>");
  for (TokenId bad : {-1, 259, 1 << 30}) {
    EXPECT_EQ(error_of([&] { t->piece_bytes(bad); }).code(), Errc::kBadInput);
    EXPECT_EQ(error_of([&] { t->decode(std::vector<TokenId>{bad}); }).code(), Errc::kBadInput);
  }
}

TEST(Tokenizer, WantedButAbsentSpecialsAreLeftOut) {
  Meta meta = bpe_meta("gpt-2", {});
  meta.set("tokenizer.ggml.add_bos_token", true);
  meta.set("tokenizer.ggml.add_eos_token", true);
  EXPECT_THAT(Tokenizer::create(meta)->encode("a"), ElementsAre('a'));
}

TEST(Tokenizer, ManyAddedTokens) {
  std::vector<test::TinyPiece> more;
  for (int i = 0; i < 50000; ++i) more.push_back({"<extra_" + std::to_string(i) + ">", PieceKind::kUserDefined});
  const auto t = Tokenizer::create(bpe_meta("gpt-2", {}, more));
  std::string text;
  for (int i = 0; i < 50000; ++i) text += "<extra_" + std::to_string(i) + "><extra";
  const std::vector<TokenId> ids = t->encode(text);
  EXPECT_EQ(ids.size(), 50000u * 7);
  EXPECT_EQ(ids[7 * 49999], 256 + 49999);
}

// Long texts of every awkward shape, for all kinds: quadratic time would be minutes.
TEST(Tokenizer, AwkwardTextsTakeNoLongerThanOthers) {
  std::vector<std::pair<std::string, std::string>> merges;
  std::vector<test::TinyPiece> pieces = {{"▁"}, {"a"}, {"b"}};
  for (std::string a = "a", s = "Ġ", u = "▁"; a.size() <= 64; a += a, s += s, u += u) {
    merges.emplace_back(a, a);
    merges.emplace_back(s, s);
    pieces.push_back({a + a});
    pieces.push_back({u + u});
  }
  const auto bpe = Tokenizer::create(bpe_meta("gpt-2", merges));
  const auto spm = Tokenizer::create(spm_meta(pieces));
  pieces.push_back({"a▁b"});
  const auto spm_whole = Tokenizer::create(spm_meta(pieces));  // a piece over a word's end: the whole text is one word
  Meta meta = test::unigram_meta(pieces);
  meta.set("tokenizer.ggml.remove_extra_whitespaces", false);
  const auto unigram_whole = Tokenizer::create(meta);
  pieces.pop_back();
  const auto unigram = Tokenizer::create(test::unigram_meta(pieces)), bert = Tokenizer::create(test::bert_meta(pieces));
  std::mt19937 random(9);
  std::string noise(1 << 18, 0), letters = noise;
  for (char& c : noise) c = static_cast<char>(random());
  for (char& c : letters) c = static_cast<char>('a' + random() % 3);
  std::string emoji;
  while (emoji.size() < noise.size()) emoji += "😀";
  for (const std::string& text : {std::string(1 << 18, 'a'), std::string(1 << 18, ' '), emoji, noise, letters}) {
    for (const Tokenizer* t : {bpe.get(), spm.get(), spm_whole.get()}) {
      const auto start = std::chrono::steady_clock::now();
      std::string back;
      for (TokenId id : t->encode(text, {.add_special = false, .parse_special = false})) back += t->piece_bytes(id);
      EXPECT_TRUE(back == (t == bpe.get() ? text : " " + text)) << text.substr(0, 8);
      EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
    }
    for (const Tokenizer* t : {unigram.get(), unigram_whole.get(), bert.get()}) {
      const auto start = std::chrono::steady_clock::now();
      t->decode(t->encode(text));
      EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
    }
  }
}

TEST(Tokenizer, WordsMergeAsTheWholeTextDoes) {
  std::vector<test::TinyPiece> pieces = {
      {"▁", PieceKind::kNormal, -9}, {"a", PieceKind::kNormal, -9}, {"b", PieceKind::kNormal, -9}};
  for (const char* p : {"▁a", "▁▁", "ab", "aa", "▁▁▁▁", "▁ab", "bb", "▁▁a"})
    pieces.push_back({p, PieceKind::kNormal, -static_cast<float>(pieces.size() * 7 % 11)});
  const auto by_words = Tokenizer::create(spm_meta(pieces));
  pieces.push_back({"x▁x", PieceKind::kNormal, -100});  // never occurs, but keeps words from being taken one by one
  const auto whole = Tokenizer::create(spm_meta(pieces));
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    std::string text(random() % 40, ' ');
    for (char& c : text) c = "ab  "[random() % 4];
    ASSERT_EQ(by_words->encode(text), whole->encode(text)) << text;
  }
}

TEST(Tokenizer, SeveralThreadsAtOnce) {
  const auto t = Tokenizer::create(bpe_meta("llama-bpe", {{"a", "b"}, {"Ġ", "ab"}}));
  const std::string text = "ab abab 123 <|x|> é ab";
  const std::vector<TokenId> want = t->encode(text);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) ASSERT_EQ(t->encode(text), want);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Mostly well-formed from outside.
std::string hostile_charsmap(std::mt19937& random) {
  std::string out = test::charsmap_bytes({{"a", "é"}, {"ab", ""}, {"\xFF", " "}, {"é", "e\u0301"}});
  for (auto changes = random() % 20; changes > 0; --changes)
    out[4 + random() % (out.size() - 4)] = static_cast<char>(random());
  if (random() % 8 == 0) out.resize(random() % out.size());
  out.back() = 0;
  return out;
}

// Random metadata: creation throws an Error, or everything works on any text.
TEST(Tokenizer, HostileMetadata) {
  std::mt19937 random(13);
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  const std::vector<std::string> odd = {"",
                                        " ",
                                        "▁",
                                        "a",
                                        "ab",
                                        "<0x41>",
                                        "<0xZZ>",
                                        "\xFF",
                                        "\xE2\x96",
                                        std::string(1, '\0'),
                                        "<s>",
                                        "ÿ",
                                        "Ġ",
                                        "Ġa",
                                        "▁a",
                                        "a▁a",
                                        std::string(3000, 'a'),
                                        "a a",
                                        "</s>",
                                        "<|im_end|>",
                                        "é",
                                        "\n"};
  const auto odd_strings = [&](size_t n) {
    std::vector<std::string> out(n);
    for (std::string& s : out) {
      for (size_t parts = below(3); parts > 0; --parts) s += odd[below(odd.size())];
    }
    return out;
  };
  int created = 0;
  for (int round = 0; round < 3000; ++round) {
    constexpr std::array kModels = {"gpt2", "llama", "t5", "bert"};
    const size_t model = static_cast<size_t>(round) % kModels.size();
    const bool whole = round % 3 != 0;
    Meta meta;
    if (whole) meta = model == 0 ? bpe_meta(round % 5 ? "llama-bpe" : "qwen2", {{"a", "b"}}) : spm_meta({{"▁"}, {"a"}});
    meta.set("tokenizer.ggml.model", kModels[model]);
    if (below(3) == 0) meta.set("tokenizer.ggml.precompiled_charsmap", test::byte_array(hostile_charsmap(random)));
    if (below(2)) meta.set("tokenizer.ggml.remove_extra_whitespaces", below(2) == 1);
    if (!whole || below(2)) {
      std::vector<std::string> tokens = whole ? meta.strings("tokenizer.ggml.tokens") : std::vector<std::string>{};
      const std::vector<std::string> more = odd_strings(1 + below(20));
      tokens.insert(tokens.end(), more.begin(), more.end());
      std::vector<int32_t> kinds(tokens.size() + below(3) - below(2));
      for (int32_t& k : kinds) k = static_cast<int32_t>(below(9)) - 1;
      std::vector<float> scores(tokens.size() - below(2));
      for (float& s : scores) s = static_cast<float>(below(5));
      meta.set("tokenizer.ggml.tokens", MetaArray{tokens});
      meta.set("tokenizer.ggml.token_type", MetaArray{kinds});
      meta.set("tokenizer.ggml.scores", MetaArray{scores});
    }
    if (below(3)) {
      std::vector<std::string> merges = odd_strings(below(4));
      for (std::string& m : merges) m += " " + odd[1 + below(odd.size() - 1)];
      meta.set("tokenizer.ggml.merges", MetaArray{merges});
    }
    for (const char* key : {"bos", "eos", "unknown", "padding", "eot", "seperator", "cls"}) {
      if (below(3) == 0)
        meta.set("tokenizer.ggml." + std::string(key) + "_token_id", static_cast<int64_t>(below(1000)) - 100);
    }
    try {
      const auto t = Tokenizer::create(meta);
      ++created;
      std::string text;
      for (size_t parts = below(10); parts > 0; --parts) text += odd[below(odd.size())];
      for (bool parse : {false, true}) {
        const std::vector<TokenId> ids = t->encode(text, {.add_special = true, .parse_special = parse});
        for (TokenId id : ids) ASSERT_TRUE(t->vocab().contains(id));
        t->decode(ids, parse);
      }
    } catch (const Error& e) {
      ASSERT_NE(e.code(), Errc::kInternal) << e.what();
      ASSERT_THAT(e.what(), HasSubstr("tokenizer.ggml."));
    }
  }
  EXPECT_GT(created, 300);
}

}  // namespace
}  // namespace skald
