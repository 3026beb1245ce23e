// LoadPrompts: the bodies of a load's requests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skald::serve {

/// How many words make how many tokens, as the server counts: tokens = fixed + per_word * words.
struct WordRate {
  double fixed = 0, per_word = 1;

  /// Gives the words for this many tokens, at least 1.
  int64_t words(int64_t tokens) const;
};

/// From two prompts of different lengths. One that makes no sense is a token a word.
WordRate word_rate(int64_t words1, int64_t tokens1, int64_t words2, int64_t tokens2);

struct LoadPrompts {
  bool chat = true;
  std::string model = {};
  double temperature = 0;
  bool ignore_eos = true;
  uint64_t seed = 1;
  int64_t prompt_tokens = 512, output_tokens = 128;  // of random prompts; output_tokens also where a file says nothing
  int64_t shared_tokens = 0;                         // that all prompts begin with
  WordRate rate = {};

  struct Given {
    std::string text = {};  // a prompt, or (JSON) messages
    bool messages = false;
    int64_t output_tokens = -1;
  };
  std::vector<Given> given = {};  // instead of random ones, one after the other and again

  /// Reads lines {"prompt"} or {"messages"}, with "max_tokens" or without. Throws Error (kBadFile) naming the line.
  void read(const std::string& path);

  /// Returns the path of the endpoint after /v1.
  std::string path() const { return chat ? "/chat/completions" : "/completions"; }
  /// Returns the body of request `number`; the same for the same number.
  std::string body(int64_t number) const;
  /// Makes a body whose prompt has this many random words, and of whose answer a token is wanted.
  std::string probe(int64_t words) const;

 private:
  std::string text(int64_t number) const;
  std::string body_of(const Given& given) const;
};

}  // namespace skald::serve
