// Texts of one engine with guesses and of one without, which must be the same.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/engine/requests.h"
#include "tests/support/paths.h"

namespace skald::test {

inline std::string golden_file(const std::string& name) { return (data_dir() / "golden" / name / "model.gguf").string(); }

/// A request of ids that repeat, or not.
inline Request request_of(const std::vector<TokenId>& prompt, int tokens, const SamplingParams& sampling) {
  return {.prompt = prompt, .max_tokens = tokens, .ignore_eos = true, .sampling = sampling, .on_event = {}};
}

inline std::vector<TokenId> ids_of(int n, int period) {
  std::vector<TokenId> out;
  for (int i = 0; i < n; ++i) out.push_back(3 + i % period * 7 % 90);
  return out;
}

/// Greedy and drawn texts after prompts of about `length` tokens, alone and at the same time. Returns how many tokens were
/// guessed, and how many of them were right.
inline DraftUse expect_same_texts(const Model& model, const EngineOptions& plain, const DraftOptions& draft,
                                  int length = 150) {
  EngineOptions guessing = plain;
  guessing.draft = draft;
  Engine without(model, plain), with(model, guessing);
  const std::vector<std::vector<TokenId>> prompts = {ids_of(length, 13), ids_of(length + 20, length),
                                                     ids_of(length + 50, 40)};
  std::vector<Request> requests;
  for (const auto& prompt : prompts) {
    requests.push_back(request_of(prompt, 40, {.temperature = 0}));
    requests.push_back(request_of(prompt, 40, {.temperature = 0.9f, .top_k = 20, .seed = 7}));
  }
  std::vector<std::vector<TokenId>> want;
  DraftUse out;
  for (const Request& r : requests) want.push_back(without.generate(r).tokens);
  for (size_t i = 0; i < requests.size(); ++i) {
    const Result got = with.generate(requests[i]);
    EXPECT_EQ(got.tokens, want[i]) << "request " << i;
    out += got.timing.drafts;
  }
  std::vector<Submission> together;
  for (const Request& r : requests) together.push_back(with.submit(r));
  for (size_t i = 0; i < requests.size(); ++i)
    EXPECT_EQ(wait_for(together[i].result).tokens, want[i]) << "request " << i << " beside others";
  return out;
}

}  // namespace skald::test
