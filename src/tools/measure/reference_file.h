// Log-probabilities of a reference model on a text, in the file of llama.cpp's --kl-divergence-base: 16 bits per token of
// the vocabulary and predicted position.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "io/output_file.h"
#include "tools/measure/log_softmax.h"
#include "tools/measure/token_chunks.h"

namespace skald {

/// One position's log-probabilities: evenly spaced codes above the least one, which is at most 16 below the greatest.
class ReferenceRow {
 public:
  /// Returns the numbers of 16 bits that a row takes.
  static int64_t length(int64_t n_vocab);
  /// Writes length() numbers.
  static void encode(std::span<const float> logits, const LogSoftmax& softmax, std::span<uint16_t> out);

  /// Of length() numbers. Throws kBadFile for a scale or a least value that makes no sense.
  ReferenceRow(std::span<const uint16_t> row, int64_t n_vocab);
  double log_p(int64_t token) const {
    return static_cast<double>(scale_ * static_cast<float>(codes_[static_cast<size_t>(token)]) + least_);
  }
  int64_t size() const { return static_cast<int64_t>(codes_.size()); }

 private:
  float scale_ = 0, least_ = 0;
  std::span<const uint16_t> codes_;  // (n_vocab)
};

/// Writes such a file; it appears when it is complete. Windows must lie end to end (no stride).
class ReferenceWriter {
 public:
  /// Throws kBadInput for windows with a stride, and as OutputFile.
  ReferenceWriter(const std::string& path, const TokenChunks& text, int64_t n_vocab);
  /// The encoded rows of a window's predicted positions, or some of them; in order.
  void write(std::span<const uint16_t> rows) { file_.write(std::as_bytes(rows)); }
  void commit() { file_.commit(); }

 private:
  OutputFile file_;
};

/// Reads one. The file is mapped: it must not change meanwhile.
class ReferenceFile {
 public:
  /// Throws kNotFound, or kBadFile naming the fault: not such a file, sizes that do not fit, tokens beyond the vocabulary.
  explicit ReferenceFile(const std::string& path);

  int64_t n_ctx() const { return n_ctx_; }
  /// Returns the position of a window whose probabilities are row 0.
  int64_t first() const { return n_ctx_ / 2; }
  int64_t n_vocab() const { return n_vocab_; }
  int64_t chunks() const { return chunks_; }
  /// (chunks * n_ctx)
  const std::vector<TokenId>& tokens() const { return tokens_; }
  /// Predicted position i of a window.
  ReferenceRow row(int64_t chunk, int64_t i) const;

 private:
  void read();

  std::string path_;
  FileBytes file_;
  int64_t n_ctx_ = 0, n_vocab_ = 0, chunks_ = 0, per_chunk_ = 0;
  std::vector<TokenId> tokens_;
  std::span<const uint16_t> rows_;
};

}  // namespace skald
