#include "text/fill_tokens.h"

#include <array>

namespace skald {
namespace {

// The names are llama.cpp's: of Qwen, StarCoder, Granite, DeepSeek, CodeLlama, GLM, Falcon and Kimi.
constexpr std::array<std::string_view, 8> kPrefixes = {
    "<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<｜fim▁begin｜>", "<PRE>", "▁<PRE>", "<|code_prefix|>", "<|prefix|>"};
constexpr std::array<std::string_view, 8> kSuffixes = {"<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>",    "<｜fim▁hole｜>",
                                                       "<SUF>",          "▁<SUF>",       "<|code_suffix|>", "<|suffix|>"};
constexpr std::array<std::string_view, 8> kMiddles = {"<|fim_middle|>", "<fim-middle>", "<fim_middle>",    "<｜fim▁end｜>",
                                                      "<MID>",          "▁<MID>",       "<|code_middle|>", "<|middle|>"};
constexpr std::array<std::string_view, 5> kPads = {"<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"};
constexpr std::array<std::string_view, 5> kRepositories = {"<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>",
                                                           "<reponame>"};
constexpr std::array<std::string_view, 1> kFiles = {"<|file_sep|>"};

constexpr std::array kFillTokens = {
    FillToken{&FillTokens::prefix, "fim_pre", "prefix", kPrefixes, false},
    FillToken{&FillTokens::suffix, "fim_suf", "suffix", kSuffixes, false},
    FillToken{&FillTokens::middle, "fim_mid", "middle", kMiddles, false},
    FillToken{&FillTokens::pad, "fim_pad", "", kPads, true},
    FillToken{&FillTokens::repository, "fim_rep", "", kRepositories, true},
    FillToken{&FillTokens::file, "fim_sep", "", kFiles, true},
};

}  // namespace

std::span<const FillToken> fill_tokens() { return kFillTokens; }

}  // namespace skald
