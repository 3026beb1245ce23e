// Embedder: vectors of texts, and scores of pairs of texts.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skald/model.h"
#include "skald/options.h"
#include "skald/pooling.h"
#include "skald/types.h"

#pragma GCC visibility push(default)
namespace skald {

struct EmbedderOptions {
  DeviceOptions device = {};
  /// Serves the texts that are being read. Keys and values are kept as exact as they are computed: vectors are compared by
  /// their last digits.
  CacheOptions cache = {.type_k = "f32", .type_v = "f32"};
  /// Reads at most n_parallel texts together, and as many tokens of them as a step takes. Models without causal attention
  /// read a longer text in a step of its own.
  ScheduleOptions schedule = {.n_parallel = 64, .n_ubatch = 2048};
  /// Overrides the pooling of the model's file; nullopt: that one, else kRank where the model has a classifier, else kMean.
  std::optional<Pooling> pooling = {};

  /// Throws Error (kBadInput) naming the field that is wrong, or that has no meaning here.
  void check() const;
};

/// Holds the tokens that a model reads at once.
struct EmbedInput {
  std::vector<TokenId> tokens = {};
  int64_t second = -1;  // the first token of a pair's second text, where models tell the two apart; -1: none
};

/// Holds a query that is ranked against many documents: its tokens are made once.
struct EmbedQuery {
  std::string text;
  std::vector<TokenId> before = {}, after = {};  // around a document's own tokens
  int64_t second = -1;                           // as EmbedInput's
};

/// Embeds and ranks texts. Several threads may use it; calls wait for each other. A text's vector does not depend on the
/// texts beside it.
class Embedder {
 public:
  /// Throws Error for options that are out of range or that the model cannot be run with: kRank without a classifier.
  explicit Embedder(const Model& model, const EmbedderOptions& options = {});
  ~Embedder();
  Embedder(const Embedder&) = delete;
  Embedder& operator=(const Embedder&) = delete;

  Pooling pooling() const;
  int64_t width() const;  // numbers of a vector; of kRank, the classifier's outputs
  int64_t n_ctx()
      const;  // most tokens of an input; by default those of the context or, if fewer, those of a text by the file

  /// Tokenises a text, with the tokens that the vocabulary puts around it; special-token text in it is text. Where the file
  /// says so (sentence_transformers.*), its prompt stands before, and capital letters are lowered. `truncate`: the text
  /// loses its tokens beyond n_ctx().
  EmbedInput input(std::string_view text, bool truncate = false) const;
  /// Joins two texts that are read as one, in the words of the file's template for queries and documents. Without a template
  /// it joins them as Hugging Face's tokenizers do; if `truncate`, the longer one then loses its end first.
  EmbedInput pair(std::string_view first, std::string_view second, bool truncate = false) const;

  /// Splits pair() into steps, for many documents: the query's part of all pairs, a document's part, and both together. The
  /// tokens of a document are those of the whole pair where the file has a template, since texts merge in it.
  EmbedQuery query(std::string_view text) const;
  std::vector<TokenId> document(const EmbedQuery& query, std::string_view text) const;
  static EmbedInput pair(const EmbedQuery& query, std::span<const TokenId> document);

  /// Counts the first inputs that embed() reads in one step; at least one. A long one may take several.
  size_t of_a_step(std::span<const EmbedInput> inputs) const;

  /// Returns (inputs, width), each of length 1 if `normalize`, which scores never are. Throws Error (kBadInput), naming the
  /// input by its place from 1 on, for one that is empty, is longer than n_ctx() or has unknown ids. Throws it also for
  /// kNone, which has no vector of a text. `stop` is asked before each step; where it says so, the result is empty.
  std::vector<float> embed(std::span<const EmbedInput> inputs, bool normalize = true,
                           const std::function<bool()>& stop = {});
  /// Returns the states after the last norm: (tokens, d), for every pooling. Throws as embed().
  std::vector<float> states(const EmbedInput& input);
  int64_t d_states() const;

  /// Returns whether the model's classifier gives one number for a pair: it has one output, or the two outputs "yes" and
  /// "no".
  bool ranks() const;
  /// Scores how well each document fits the query, higher is better: the classifier's output as it is, or the share of
  /// "yes". Throws Error (kUnsupported) unless ranks(), and as embed(), counting documents; `stop` is as there.
  std::vector<float> rank(std::string_view query, std::span<const std::string_view> documents, bool truncate = false,
                          const std::function<bool()>& stop = {});
  /// Scores pairs in the same way.
  std::vector<float> rank(std::span<const EmbedInput> pairs, const std::function<bool()>& stop = {});

 private:
  class [[gnu::visibility("hidden")]] Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace skald
#pragma GCC visibility pop
