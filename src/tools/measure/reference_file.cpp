// The file: "_logits_", n_ctx, n_vocab, windows, all tokens (int32 each). Then for each window and each position of its
// second half but the last: two floats (scale, least log-probability) and the codes, padded to an even number.
#include "tools/measure/reference_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "base/checked.h"
#include "base/error.h"
#include "io/byte_reader.h"

namespace skald {
namespace {

constexpr std::string_view kMagic = "_logits_";
constexpr float kRange = 16;  // of logarithms that are told apart
constexpr float kMostCode = 65535;
constexpr float kRounding = 0.01F;  // a certain token's logarithm may be above 0 by this
constexpr int64_t kHeadCodes = 4;   // two floats

int64_t predicted_of(int64_t n_ctx) { return n_ctx - 1 - n_ctx / 2; }

// After the tokens; nullopt where that is more than any file.
std::optional<int64_t> codes_in(int64_t chunks, int64_t n_ctx, int64_t n_vocab) {
  const auto rows = checked_mul(chunks, predicted_of(n_ctx));
  return rows ? checked_mul(*rows, ReferenceRow::length(n_vocab)) : std::nullopt;
}

int64_t read_size(ByteReader& in, std::string_view what, int64_t least) {
  const auto value = in.number<int32_t>(what);
  if (value < least) fail(Errc::kBadFile, "{} is {}, less than {}", what, value, least);
  return value;
}

void append(std::vector<std::byte>& out, std::span<const std::byte> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

std::vector<std::byte> head(const TokenChunks& text, int64_t n_vocab) {
  const std::array<int32_t, 3> sizes = {static_cast<int32_t>(text.n_ctx), static_cast<int32_t>(n_vocab),
                                        static_cast<int32_t>(text.count)};
  std::vector<std::byte> out;
  append(out, std::as_bytes(std::span(kMagic)));
  append(out, std::as_bytes(std::span(sizes)));
  append(out, std::as_bytes(std::span(text.tokens).first(static_cast<size_t>(text.count * text.n_ctx))));
  return out;
}

}  // namespace

int64_t ReferenceRow::length(int64_t n_vocab) { return round_up(n_vocab, 2) + kHeadCodes; }

void ReferenceRow::encode(std::span<const float> logits, const LogSoftmax& softmax, std::span<uint16_t> out) {
  SKALD_ASSERT(static_cast<int64_t>(out.size()) == length(static_cast<int64_t>(logits.size())));
  const float least = std::max(*std::ranges::min_element(logits), softmax.largest - kRange);
  const float scale = (softmax.largest - least) / kMostCode, inverse = scale > 0 ? 1 / scale : 0;
  const std::array<float, 2> first = {scale, static_cast<float>(static_cast<double>(least) - softmax.log_sum)};
  std::memcpy(out.data(), first.data(), sizeof(first));
  out.back() = 0;  // where the vocabulary is odd
  for (size_t i = 0; i < logits.size(); ++i) {
    const float above = std::clamp(inverse * (logits[i] - least), 0.0F, kMostCode);
    out[kHeadCodes + i] = static_cast<uint16_t>(std::lround(above));
  }
}

ReferenceRow::ReferenceRow(std::span<const uint16_t> row, int64_t n_vocab)
    : codes_(row.subspan(kHeadCodes, static_cast<size_t>(n_vocab))) {
  std::memcpy(&scale_, row.data(), sizeof(scale_));
  std::memcpy(&least_, row.data() + 2, sizeof(least_));
  if (!(scale_ >= 0) || !std::isfinite(least_) || !(least_ + scale_ * kMostCode <= kRounding))
    fail(Errc::kBadFile, "steps of {} above {} are no log-probabilities", scale_, least_);
}

ReferenceWriter::ReferenceWriter(const std::string& path, const TokenChunks& text, int64_t n_vocab) : file_(path) {
  if (text.step != text.n_ctx) fail(Errc::kBadInput, "a reference is of windows that lie end to end: it has no stride");
  if (text.count > std::numeric_limits<int32_t>::max()) fail(Errc::kBadInput, "{} windows are too many", text.count);
  file_.write(head(text, n_vocab));
}

ReferenceFile::ReferenceFile(const std::string& path) : path_(path), file_(FileBytes::open(path, FileBytes::How::kMap)) {
  doing(path, [this] { read(); });
}

void ReferenceFile::read() {
  ByteReader in(file_.bytes());
  const std::vector<char> magic =
      in.remaining() < static_cast<int64_t>(kMagic.size()) ? std::vector<char>() : in.numbers<char>(kMagic.size(), "magic");
  if (std::string_view(magic.data(), magic.size()) != kMagic)
    fail(Errc::kBadFile, "it is not a file of log-probabilities: it does not begin with {}", kMagic);
  n_ctx_ = read_size(in, "n_ctx", 3);
  n_vocab_ = read_size(in, "n_vocab", 1);
  chunks_ = read_size(in, "the number of windows", 1);
  per_chunk_ = predicted_of(n_ctx_);
  const auto codes = codes_in(chunks_, n_ctx_, n_vocab_);
  const int64_t n_tokens = in.check_count(static_cast<uint64_t>(n_ctx_ * chunks_), sizeof(TokenId), "tokens");
  tokens_ = in.numbers<TokenId>(n_tokens, "tokens");
  for (const TokenId t : tokens_)
    if (t < 0 || t >= n_vocab_) fail(Errc::kBadFile, "token {} is outside its vocabulary of {}", t, n_vocab_);
  constexpr int64_t kCode = sizeof(uint16_t);
  if (!codes || in.remaining() / kCode < *codes)
    fail(Errc::kBadFile, "the file is cut short: {} windows of {} positions and {} tokens do not fit into the {} bytes left",
         chunks_, per_chunk_, n_vocab_, in.remaining());
  if (in.remaining() != *codes * kCode)
    fail(Errc::kBadFile, "{} bytes follow after the last window", in.remaining() - *codes * kCode);
  // Bytes before them are a multiple of four.
  rows_ = {reinterpret_cast<const uint16_t*>(file_.bytes().data() + in.position()), static_cast<size_t>(*codes)};
}

ReferenceRow ReferenceFile::row(int64_t chunk, int64_t i) const {
  const int64_t length = ReferenceRow::length(n_vocab_), at = (chunk * per_chunk_ + i) * length;
  return doing(path_,
               [&] { return ReferenceRow(rows_.subspan(static_cast<size_t>(at), static_cast<size_t>(length)), n_vocab_); });
}

}  // namespace skald
