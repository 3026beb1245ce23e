#include "text/vocab.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/errors.h"
#include "tests/text/tiny_vocab.h"

namespace skald {
namespace {

using test::error_of;
using test::TinyPiece;
using ::testing::HasSubstr;

constexpr PieceKind kControl = PieceKind::kControl;

Meta gpt2_meta(const std::vector<TinyPiece>& pieces) { return test::vocab_meta("gpt2", pieces); }

TEST(Vocab, DefaultsOfSentencePiece) {
  const Vocab v = Vocab::read(test::spm_meta({{"a"}}));
  EXPECT_EQ(v.bos, 1);
  EXPECT_EQ(v.eos, 2);
  EXPECT_EQ(v.unk, 0);
  EXPECT_FALSE(v.pad);
  EXPECT_TRUE(v.add_bos);
  EXPECT_FALSE(v.add_eos);
  EXPECT_TRUE(v.add_space_prefix);
  EXPECT_TRUE(v.is_end(2));
  EXPECT_FALSE(v.is_end(1));
  EXPECT_EQ(v.find("a"), 259);
  EXPECT_FALSE(v.find("b"));
}

TEST(Vocab, DefaultsOfBytePairs) {
  Meta meta = gpt2_meta({{"a"}, {"<|endoftext|>", kControl}});
  const Vocab v = Vocab::read(meta);
  EXPECT_FALSE(v.bos);
  EXPECT_FALSE(v.add_bos);
  EXPECT_FALSE(v.add_space_prefix);
  EXPECT_EQ(v.pre, "default");
  EXPECT_EQ(v.eot, 1);
  EXPECT_TRUE(v.is_end(1));
  meta.set("tokenizer.ggml.pre", "llama-bpe");
  EXPECT_TRUE(Vocab::read(meta).add_bos);
  meta.set("tokenizer.ggml.add_bos_token", false);
  EXPECT_FALSE(Vocab::read(meta).add_bos);
}

TEST(Vocab, DefaultsOfUnigram) {
  const Vocab v =
      Vocab::read(test::vocab_meta("t5", {{"<pad>", kControl}, {"</s>", kControl}, {"<unk>", PieceKind::kUnknown}}));
  EXPECT_FALSE(v.bos);
  EXPECT_EQ(v.eos, 1);
  EXPECT_EQ(v.unk, 2);
  EXPECT_EQ(v.pad, 0);
  EXPECT_FALSE(v.add_bos);
  EXPECT_TRUE(v.add_eos);
  EXPECT_FALSE(v.add_sep);
  EXPECT_FALSE(v.add_space_prefix);
}

TEST(Vocab, DefaultsOfWordPiece) {
  const Vocab v = Vocab::read(test::vocab_meta("bert", std::vector<TinyPiece>(200, {"x"})));
  EXPECT_EQ(v.bos, 101);
  EXPECT_FALSE(v.eos);
  EXPECT_EQ(v.unk, 100);
  EXPECT_EQ(v.sep, 102);
  EXPECT_EQ(v.pad, 0);
  EXPECT_TRUE(v.add_bos);
  EXPECT_TRUE(v.add_sep);
  EXPECT_FALSE(v.add_eos);
  const Vocab small = Vocab::read(test::bert_meta({{"a"}}));
  EXPECT_EQ(small.bos, 2);
  EXPECT_EQ(small.sep, 3);
}

TEST(Vocab, KeysGoBeforeDefaults) {
  Meta meta = test::spm_meta({{"a"}, {"b"}});
  meta.set("tokenizer.ggml.bos_token_id", uint32_t{259});
  meta.set("tokenizer.ggml.eos_token_id", uint32_t{260});
  meta.set("tokenizer.ggml.padding_token_id", std::numeric_limits<uint32_t>::max());  // how files write "none"
  meta.set("tokenizer.ggml.unknown_token_id", int32_t{-1});
  meta.set("tokenizer.ggml.add_eos_token", true);
  meta.set("tokenizer.ggml.add_space_prefix", false);
  const Vocab v = Vocab::read(meta);
  EXPECT_EQ(v.bos, 259);
  EXPECT_TRUE(v.is_end(260));
  EXPECT_TRUE(v.is_end(2));  // </s> by its text
  EXPECT_FALSE(v.pad);
  EXPECT_EQ(v.unk, 0);
  EXPECT_TRUE(v.add_eos);
  EXPECT_FALSE(v.add_space_prefix);
}

TEST(Vocab, EndsOfTurnsAreKnownByTheirText) {
  const Vocab v = Vocab::read(
      gpt2_meta({{"a"}, {"<|im_end|>", kControl}, {"<|eot_id|>"}, {"<|im_start|>", kControl}, {"<|fim_pad|>", kControl}}));
  EXPECT_TRUE(v.is_end(1));
  EXPECT_TRUE(v.is_end(2));
  EXPECT_FALSE(v.is_end(3));
  EXPECT_TRUE(v.is_end(4));
  EXPECT_EQ(v.kind(2), kControl);  // as old files lack the kind
  EXPECT_EQ(v.eot, 2);
  EXPECT_FALSE(v.is_end(0));
  EXPECT_FALSE(v.is_end(-1));
  EXPECT_FALSE(v.is_end(5));
}

TEST(Vocab, PlainNamesOfEndsAreTextUnlessTheFileSaysOtherwise) {
  for (const char* name : {"</s>", "<eos>", "[EOS]", "<EOT>", "[EOT]", "[PAD]", "<reponame>"}) {
    for (PieceKind kind : {PieceKind::kNormal, PieceKind::kUserDefined}) {
      Meta meta = gpt2_meta({{"a"}, {name, kind}, {"<|im_end|>", kControl}});
      const Vocab text = Vocab::read(meta);
      EXPECT_FALSE(text.is_end(1)) << name;
      EXPECT_EQ(text.kind(1), kind) << name;
      EXPECT_EQ(text.eot, 2) << name;
      meta.set("tokenizer.ggml.eos_token_id", uint32_t{1});
      EXPECT_TRUE(Vocab::read(meta).is_end(1)) << name;
    }
    EXPECT_TRUE(Vocab::read(gpt2_meta({{"a"}, {name, kControl}})).is_end(1)) << name;
  }
  Meta old = gpt2_meta({{"a"}, {"</s>"}});
  old.set("tokenizer.ggml.eos_token_id", uint32_t{1});
  EXPECT_EQ(Vocab::read(old).kind(1), kControl);
}

TEST(Vocab, TellsOfEndsOutsideOfTheVocabulary) {
  const auto told = [](uint32_t id) {
    Meta meta = gpt2_meta({{"a"}});
    meta.set("tokenizer.ggml.eos_token_id", id);
    testing::internal::CaptureStderr();
    EXPECT_FALSE(Vocab::read(meta).eos);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(told(std::numeric_limits<uint32_t>::max()), "");  // how files write "none"
  EXPECT_THAT(told(7), HasSubstr("tokenizer.ggml.eos_token_id: 7"));
}

TEST(Vocab, TokensForFillingInAreKnownByKeyOrText) {
  Meta meta = gpt2_meta({{"a"}, {"<PRE>"}, {"<|fim_suffix|>", kControl}, {"<fim_middle>", kControl}, {"<|file_sep|>"}});
  const Vocab named = Vocab::read(meta);
  EXPECT_TRUE(named.fill.complete());
  EXPECT_EQ(named.fill.prefix, 1);
  EXPECT_EQ(named.fill.suffix, 2);
  EXPECT_EQ(named.fill.middle, 3);
  EXPECT_EQ(named.fill.file, 4);
  EXPECT_FALSE(named.fill.pad);
  EXPECT_EQ(named.kind(1), kControl);
  EXPECT_FALSE(named.is_end(3));
  EXPECT_TRUE(named.is_end(4));
  meta.set("tokenizer.ggml.fim_pre_token_id", uint32_t{0});
  meta.set("tokenizer.ggml.suffix_token_id", uint32_t{0});  // of older files
  const Vocab keyed = Vocab::read(meta);
  EXPECT_EQ(keyed.fill.prefix, 0);
  EXPECT_EQ(keyed.fill.suffix, 0);
  EXPECT_EQ(keyed.kind(0), PieceKind::kNormal);
  EXPECT_FALSE(Vocab::read(gpt2_meta({{"a"}, {"<|fim_prefix|>", kControl}})).fill.complete());
}

TEST(Vocab, HarmonyMessagesDoNotEndTheAnswer) {
  std::vector<TinyPiece> pieces = {{"<|return|>", kControl}, {"<|end|>", kControl}};
  EXPECT_TRUE(Vocab::read(gpt2_meta(pieces)).is_end(1));
  pieces.push_back({"<|call|>", kControl});
  const Vocab v = Vocab::read(gpt2_meta(pieces));
  EXPECT_FALSE(v.is_end(1));
  EXPECT_TRUE(v.is_end(0));
  EXPECT_TRUE(v.is_end(2));
}

TEST(Vocab, OfEqualPiecesTheLastIsFound) {
  const Vocab v = Vocab::read(gpt2_meta({{"a"}, {"b"}, {"a"}, {""}}));
  EXPECT_EQ(v.find("a"), 2);
  EXPECT_FALSE(v.find(""));
  EXPECT_EQ(v.size(), 4);
}

TEST(Vocab, WithoutKindsTheObviousOnesAreGuessed) {
  Meta meta;
  meta.set("tokenizer.ggml.model", "llama");
  meta.set("tokenizer.ggml.tokens", MetaArray{std::vector<std::string>{"<unk>", "<s>", "</s>", "<0x00>", "a"}});
  const Vocab v = Vocab::read(meta);
  const std::vector<PieceKind> want = {PieceKind::kUnknown, kControl, kControl, PieceKind::kByte, PieceKind::kNormal};
  EXPECT_EQ(v.kinds, want);
}

TEST(Vocab, MovesWithItsIndex) {
  Vocab a = Vocab::read(gpt2_meta({{"a"}, {"b"}}));
  const Vocab b = std::move(a);
  EXPECT_EQ(b.find("b"), 1);
}

TEST(Vocab, PhiStripsAfterItsSpecialsWhereTheFileDoesNotSay) {
  Meta meta = test::spm_meta({{"<|end|>", kControl}, {"a"}});
  EXPECT_FALSE(Vocab::read(meta).rules[259].rstrip);
  meta.set("general.name", "Phi-3 mini");
  const Vocab v = Vocab::read(meta);
  EXPECT_TRUE(v.rules[259].rstrip);
  EXPECT_TRUE(v.rules[2].rstrip);
  EXPECT_FALSE(v.rules[1].rstrip);
  EXPECT_FALSE(v.rules[260].rstrip);
  meta.set("tokenizer.ggml.added_tokens.lstrip", MetaArray{std::vector<int32_t>{}});
  EXPECT_EQ(Vocab::read(meta).rules[259], TokenRules{}) << "it says that there are none";
}

struct BadVocab {
  const char* key;
  MetaValue value;
  Errc code;
};

TEST(Vocab, ErrorsNameTheKey) {
  const auto types = [](size_t n) { return MetaArray{std::vector<int32_t>(n, 1)}; };
  const std::vector<BadVocab> bad = {
      {"tokenizer.ggml.tokens", MetaArray{std::vector<std::string>{}}, Errc::kBadFile},
      {"tokenizer.ggml.tokens", MetaArray{std::vector<int32_t>{1, 2}}, Errc::kBadFile},
      {"tokenizer.ggml.tokens", uint32_t{3}, Errc::kBadFile},
      {"tokenizer.ggml.token_type", types(5), Errc::kBadFile},
      {"tokenizer.ggml.token_type", MetaArray{std::vector<float>(260, 1.f)}, Errc::kBadFile},
      {"tokenizer.ggml.scores", MetaArray{std::vector<float>(5)}, Errc::kBadFile},
      {"tokenizer.ggml.scores", MetaArray{std::vector<float>(260, std::numeric_limits<float>::quiet_NaN())}, Errc::kBadFile},
      {"tokenizer.ggml.scores", MetaArray{std::vector<std::string>(260)}, Errc::kBadFile},
      {"tokenizer.ggml.bos_token_id", "one", Errc::kBadFile},
      {"tokenizer.ggml.add_bos_token", uint32_t{1}, Errc::kBadFile},
      {"tokenizer.ggml.pre", uint32_t{1}, Errc::kBadFile},
      {"tokenizer.ggml.model", uint32_t{1}, Errc::kBadFile},
  };
  for (const BadVocab& b : bad) {
    Meta meta = test::spm_meta({{"a"}});
    meta.set(b.key, b.value);
    const Error e = error_of([&] { Vocab::read(meta); });
    EXPECT_EQ(e.code(), b.code) << b.key;
    EXPECT_THAT(e.what(), HasSubstr(b.key));
  }
  const Error e = error_of([] { Vocab::read(Meta()); });
  EXPECT_EQ(e.code(), Errc::kNotFound);
  EXPECT_THAT(e.what(), HasSubstr("tokenizer.ggml.model"));
}

TEST(Vocab, LongerArraysAndStrangeKindsAreHarmless) {
  Meta meta = test::spm_meta({{"a"}});
  meta.set("tokenizer.ggml.scores", MetaArray{std::vector<float>(1000, 1.f)});
  meta.set("tokenizer.ggml.token_type", MetaArray{std::vector<int32_t>(1000, 99)});
  const Vocab v = Vocab::read(meta);
  EXPECT_EQ(v.scores.size(), 260u);
  EXPECT_EQ(v.kind(3), PieceKind::kUndefined);
}

}  // namespace
}  // namespace skald
