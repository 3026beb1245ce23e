// The table of pre-tokenizers. The expressions are those of the models' own tokenizer files (Oniguruma's dialect, see
// regex_dialect.h), some of them as llama.cpp quotes these. Changes that keep a search linear are marked.
#include "text/pre_tokenizer_table.h"

#include <algorithm>
#include <array>
#include <vector>

namespace skald {
namespace {

using Pattern = std::string_view;

constexpr Pattern kGpt2Words = R"re('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)re";
constexpr Pattern kDigit = R"re(\p{N})re";
constexpr Pattern kThreeDigits = R"re([0-9][0-9][0-9])re";
constexpr Pattern kCjk = R"re([\x{4e00}-\x{9fa5}\x{800}-\x{4e00}\x{ac00}-\x{d7ff}]+)re";
constexpr Pattern kBloomWords = R"re( ?[^(\s|.,!?\x{2026}\x{3002}\x{ff0c}\x{3001}\x{964}\x{6d4}\x{60c})]+)re";

constexpr std::array kGpt2{kGpt2Words};
constexpr std::array kStarcoder{kDigit, kGpt2Words};
constexpr std::array kFalcon{Pattern(R"re([\p{P}\$\+<=>\^~\|`]+)re"), kGpt2Words, kThreeDigits};
constexpr std::array kDefault{Pattern(R"re([\p{P}\$\+<=>\^~\|]+)re"), kGpt2Words, Pattern(R"re(\p{N}+)re"), kThreeDigits};

constexpr std::array kLlama3{
    Pattern(R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*)re"
            R"re(|\s*[\r\n]+|\s+(?!\S)|\s+)re")};
constexpr std::array kQwen2{
    Pattern(R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*)re"
            R"re(|\s*[\r\n]+|\s+(?!\S)|\s+)re")};
constexpr std::array kUfakzeka{
    Pattern(R"re([^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)re")};
constexpr std::array kLaguna{Pattern(R"re([^\n]+|[\n]+)re"), kQwen2[0]};
constexpr std::array kMiniCpm5{
    Pattern(R"re(\p{N}{1,3})re"),
    Pattern(R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}+| ?[^\s\p{L}\p{N}]+[\r\n]*)re"
            R"re(|\s*[\r\n]+|\s+(?!\S)|\s+)re")};
constexpr std::array kJais2{
    Pattern(R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*)re"
            R"re(|\s*[\r\n]+|\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S))re"
            R"re(|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1})re")};
// Words go on over single spaces. The loops do not give back characters that they took, since nothing follows them.
constexpr std::array kExaoneMoe{
    Pattern(R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*+(?: \p{L}\p{M}*+)*+)++|\p{N})re"
            R"re(| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+)re")};
constexpr std::array kChameleon{
    Pattern(R"re(<sentinel:[0-9]+>)re"),    Pattern(R"re((IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z)re"),
    Pattern(R"re(([\t\n]|    |  ))re"),     kDigit,
    Pattern(R"re([\p{P}!-/:-@\[-`{-~])re"), kGpt2Words};
constexpr std::array kQwen35{
    Pattern(R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*)re"
            R"re(|\s*[\r\n]+|\s+(?!\S)|\s+)re")};
constexpr std::array kSeedCoder{
    Pattern(R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+)re"
            R"re(|\s*[\r\n]+|\s+(?!\S)|\s+)re")};
constexpr std::array kBailing{
    Pattern(R"re('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*)re"
            R"re(|\s*[\r\n]|\s+(?!\S)|\s+)re")};
constexpr Pattern kGpt4oWords =
    R"re([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?)re"
    R"re(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?)re"
    R"re(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)re";
constexpr std::array kGpt4o{kGpt4oWords};
constexpr std::array kYoutu{
    Pattern(R"re([\x{ac00}-\x{d7a3}\x{3131}-\x{318e}]+)re"
            R"re(|[\x{ff01}\x{2026}\x{201c}\x{201d}\x{2018}\x{2019}\x{2014}\x{ff1a}\x{ff1b}\x{ff0c})re"
            R"re(\x{3001}-\x{303f}\x{fe30}-\x{fe4f}]+|[\x{3105}-\x{312f}]+)re"
            R"re(|[\x{4e00}-\x{9fa5}\x{3040}-\x{309f}\x{30a0}-\x{30ff}]+)re"),
    Pattern(
        R"re([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?)re"
        R"re(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?)re"
        R"re(|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)re")};
// Ideographs on their own; the last ranges are newer than PCRE2's.
constexpr std::array kKimiK2{Pattern(
    R"re([\p{sc:Han}\x{2ebf0}-\x{2ee5d}\x{31350}-\x{323af}]+)re"
    R"re(|[^\r\n\p{L}\p{N}]?(?:(?![\p{sc:Han}\x{2ebf0}-\x{2ee5d}\x{31350}-\x{323af}])[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])*)re"
    R"re((?:(?![\p{sc:Han}\x{2ebf0}-\x{2ee5d}\x{31350}-\x{323af}])[\p{Ll}\p{Lm}\p{Lo}\p{M}])+(?i:'s|'t|'re|'ve|'m|'ll|'d)?)re"
    R"re(|[^\r\n\p{L}\p{N}]?(?:(?![\p{sc:Han}\x{2ebf0}-\x{2ee5d}\x{31350}-\x{323af}])[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])+)re"
    R"re((?:(?![\p{sc:Han}\x{2ebf0}-\x{2ee5d}\x{31350}-\x{323af}])[\p{Ll}\p{Lm}\p{Lo}\p{M}])*(?i:'s|'t|'re|'ve|'m|'ll|'d)?)re"
    R"re(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)re")};
constexpr std::array kTekken{Pattern(R"re([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)re"
                                     R"re(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)re"
                                     R"re(|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)re")};

// The letters are the cased ones of Unicode 12. The fourth expression is `\s+$` in the model's file: tried at every place of
// a long run of spaces it takes quadratic time. Hence it starts at the run's first space only, where it matches if anywhere.
constexpr std::array kDeepseekLlm{
    Pattern(R"re([\r\n])re"),
    Pattern(R"re(\s?[A-Za-z\x{b5}\x{c0}-\x{d6}\x{d8}-\x{f6}\x{f8}-\x{1ba}\x{1bc}-\x{1bf}\x{1c4}-\x{293})re"
            R"re(\x{295}-\x{2af}\x{370}-\x{373}\x{376}\x{377}\x{37b}-\x{37d}\x{37f}\x{386}\x{388}-\x{38a}\x{38c})re"
            R"re(\x{38e}-\x{3a1}\x{3a3}-\x{3f5}\x{3f7}-\x{481}\x{48a}-\x{52f}\x{531}-\x{556}\x{10a0}-\x{10c5})re"
            R"re(\x{13a0}-\x{13f5}\x{13f8}-\x{13fd}\x{1c90}-\x{1cba}\x{1cbd}-\x{1cbf}\x{1d00}-\x{1d2b})re"
            R"re(\x{1d6b}-\x{1d77}\x{1d79}-\x{1d9a}\x{1e00}-\x{1f15}\x{1f18}-\x{1f1d}\x{1f20}-\x{1f45})re"
            R"re(\x{1f48}-\x{1f4d}\x{1f50}-\x{1f57}\x{1f59}\x{1f5b}\x{1f5d}\x{1f5f}-\x{1f7d}\x{1f80}-\x{1fb4})re"
            R"re(\x{1fb6}-\x{1fbc}\x{1fbe}\x{1fc2}-\x{1fc4}\x{1fc6}-\x{1fcc}\x{1fd0}-\x{1fd3}\x{1fd6}-\x{1fdb})re"
            R"re(\x{1fe0}-\x{1fec}\x{1ff2}-\x{1ff4}\x{1ff6}-\x{1ffc}\x{2102}\x{2107}\x{210a}-\x{2113}\x{2115})re"
            R"re(\x{2119}-\x{211d}\x{2124}\x{2126}\x{2128}\x{212a}-\x{212d}\x{212f}-\x{2134}\x{2139}\x{213c}-\x{213f})re"
            R"re(\x{2145}-\x{2149}\x{214e}\x{2183}\x{2184}\x{2c00}-\x{2c7b}\x{2c7e}-\x{2ce4}\x{2ceb}-\x{2cee}\x{2cf2})re"
            R"re(\x{2cf3}\x{a640}-\x{a66d}\x{a680}-\x{a69b}\x{a722}-\x{a76f}\x{a771}-\x{a787}\x{a78b}-\x{a78e})re"
            R"re(\x{ab70}-\x{abbf}\x{fb00}-\x{fb06}\x{fb13}-\x{fb17}\x{ff21}-\x{ff3a}\x{ff41}-\x{ff5a})re"
            R"re(\x{10400}-\x{1044f}\x{104b0}-\x{104d3}\x{104d8}-\x{104fb}\x{10c80}-\x{10cb2}\x{10cc0}-\x{10cf2})re"
            R"re(\x{118a0}-\x{118df}\x{1e900}-\x{1e943}]+)re"),
    Pattern(R"re(\s?[!-/:-~\x{ff01}-\x{ff0f}\x{ff1a}-\x{ff5e}\x{2018}-\x{201f}\x{3000}-\x{3002}]+)re"),
    Pattern(R"re((?<!\s)\s+$)re"),
    kCjk,
    kDigit};
constexpr std::array kDeepseekCoder{Pattern(R"re([\r\n])re"), Pattern(R"re(\s?\p{L}+)re"), Pattern(R"re(\s?\p{P}+)re"), kCjk,
                                    kDigit};
constexpr Pattern kCjkAndKana = R"re([\x{4e00}-\x{9fa5}\x{3040}-\x{309f}\x{30a0}-\x{30ff}]+)re";
constexpr std::array kSpark25{
    Pattern(R"re(\p{N}{1,3})re"), kCjkAndKana,
    Pattern(R"re([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+)re"
            R"re(| ?[\p{P}\p{S}]+|[\r\n]|\s+(?!\S)|\s+)re"),
    kDigit};
constexpr std::array kDeepseekV3{
    Pattern(R"re(\p{N}{1,3})re"), kCjkAndKana,
    Pattern(R"re([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+)re"
            R"re(| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)re")};
// The model's file cuts before each group of three digits, counted from the end: `(?=(\d{3})+(?!\d))`, which looks at the
// rest of a number from all of its places. This one counts at the start of each run of digits only.
constexpr std::array kSuperBpe{
    Pattern(R"re(\p{N}+)re"),
    Pattern(R"re((?:\A(?:\d{1,2}(?=(?:\d{3})*(?!\d))|\D++(?:\d{1,2}(?=(?:\d{3})*(?!\d)))?)|\G\d{3}))re"
            R"re((?:\D++(?:\d{1,2}(?=(?:\d{3})*(?!\d)))?)*+)re")};
// Groups of three again, where a number ends a word: `\d{1,3}(?=(?:\d{3})*\b)`.
constexpr std::array kTinyAya{
    Pattern(R"re((?<!\d)\d{1,3}(?=(?:\d{3})*(?![\p{L}\p{M}\p{N}\p{Pc}]))|\G(?<=\d)\d{3})re"),
    kGpt4oWords,
};
constexpr std::array kBloom{kBloomWords};
constexpr std::array kViking{kBloomWords, kDigit};

constexpr PreTokenizerSpec kTable[] = {
    {.names = "default", .patterns = kDefault},
    {.names =
         "gpt-2 phi-2 jais trillion granite-docling gigachat a.x-4.0 mellum exaone4 jina-es jina-de jina-v1-en jina-v2-es "
         "jina-v2-de jina-v2-code roberta-bpe modern-bert",
     .patterns = kGpt2},
    {.names = "mpt olmo", .patterns = kGpt2, .nfc = true},
    {.names = "falcon", .patterns = kFalcon},
    {.names = "starcoder refact smollm codeshell exaone minerva-7b mellum2", .patterns = kStarcoder},
    {.names = "command-r", .patterns = kStarcoder, .nfc = true},
    {.names = "llama-bpe llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano",
     .patterns = kLlama3,
     .ignore_merges = true,
     .add_bos = true},
    {.names = "dbrx smaug-bpe chatglm-bpe glm4", .patterns = kLlama3},
    {.names = "qwen2", .patterns = kQwen2, .nfc = true},
    {.names = "deepseek-r1-qwen stablelm2 megrez hunyuan grok-2 solar-open kormo f2llmv2", .patterns = kQwen2},
    {.names = "qwen35", .patterns = kQwen35, .nfc = true},
    {.names = "ufakzeka", .patterns = kUfakzeka},
    {.names = "laguna", .patterns = kLaguna},
    {.names = "minicpm5", .patterns = kMiniCpm5, .ignore_merges = true},
    {.names = "jais-2", .patterns = kJais2},
    {.names = "gpt-4o llama4 kanana2 minimax-m2 talkie", .patterns = kGpt4o},
    {.names = "granite-embed-multi-97m", .patterns = kGpt4o, .ignore_merges = true},
    {.names = "tiny_aya cohere2moe", .patterns = kTinyAya},
    {.names = "youtu", .patterns = kYoutu, .ignore_merges = true},
    {.names = "kimi-k2", .patterns = kKimiK2},
    {.names = "tekken", .patterns = kTekken, .ignore_merges = true, .add_bos = true},
    {.names = "deepseek-llm", .patterns = kDeepseekLlm},
    {.names = "deepseek-coder", .patterns = kDeepseekCoder},
    {.names = "deepseek-v3 hunyuan-dense joyai-llm hy_v4", .patterns = kDeepseekV3},
    {.names = "spark2_5", .patterns = kSpark25},
    {.names = "bloom gpt3-finnish poro-chat", .patterns = kBloom},
    {.names = "viking", .patterns = kViking},
    {.names = "seed-coder", .patterns = kSeedCoder},
    {.names = "bailingmoe bailingmoe2 llada-moe", .patterns = kBailing},
    {.names = "exaone-moe", .patterns = kExaoneMoe},
    {.names = "superbpe", .patterns = kSuperBpe},
    {.names = "chameleon", .patterns = kChameleon, .add_bos = true},
};

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

const PreTokenizerSpec* find_pre_tokenizer(std::string_view name) {
  for (const PreTokenizerSpec& spec : kTable) {
    if (std::ranges::count(words(spec.names), name)) return &spec;
  }
  return nullptr;
}

std::span<const PreTokenizerSpec> pre_tokenizers() { return kTable; }

std::string pre_tokenizer_names() {
  std::string out;
  for (const PreTokenizerSpec& spec : kTable) {
    for (std::string_view name : words(spec.names)) (out += out.empty() ? "" : ", ") += name;
  }
  return out;
}

}  // namespace skald
