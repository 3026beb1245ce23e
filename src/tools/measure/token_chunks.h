// TokenChunks: a text's tokens in windows of one length, each of which is computed on its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "loading/loaded_model.h"

namespace skald {

/// As llama.cpp's perplexity cuts a text. Without a stride, windows lie end to end and the second half of each is predicted.
/// With one, each begins `stride` tokens after the one before and its last `stride` tokens are predicted.
struct ChunkOptions {
  int64_t n_ctx = 512;  // tokens of a window
  int64_t stride = 0;   // 0: none
  int64_t most = -1;    // windows; -1: as many as there are

  /// Throws kBadInput naming the field: "chunks.n_ctx".
  void check() const;
};

struct TokenChunks {
  std::vector<TokenId> tokens;
  int64_t n_ctx = 0, step = 0, count = 0;
  int64_t first = 0;           // position of a window whose logits are wanted first: it predicts first + 1
  std::optional<TokenId> bos;  // takes the place of each window's first token

  /// Returns the tokens that a window predicts.
  int64_t predicted() const { return n_ctx - 1 - first; }
  /// (n_ctx)
  std::vector<TokenId> window(int64_t chunk) const;
  /// Returns the token that the logits of a window's position (below n_ctx - 1) should have predicted.
  TokenId target(int64_t chunk, int64_t position) const { return tokens[static_cast<size_t>(chunk * step + position + 1)]; }
};

/// Throws kBadInput when the tokens do not fill a window, saying how many there are and how many it takes.
TokenChunks cut_tokens(std::vector<TokenId> tokens, std::optional<TokenId> bos, const ChunkOptions& options);

/// Returns the token that begins this model's texts, if its tokenizer adds one. None where there is no tokenizer.
std::optional<TokenId> added_bos(const LoadedModel& model);

}  // namespace skald
