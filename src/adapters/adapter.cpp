#include "adapters/adapter.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "io/printable.h"
#include "quant/registry.h"

namespace skald {
namespace {

const Format& half() { return *find_format("f16"); }

// The values as halves; false where one of them is no half.
bool halve(std::span<const float> values, std::byte* out) {
  const Format& format = half();
  constexpr size_t kPiece = 256;
  float back[kPiece];
  for (size_t first = 0; first < values.size(); first += kPiece) {
    const std::span<const float> piece = values.subspan(first, std::min(kPiece, values.size() - first));
    const auto n = std::ssize(piece);
    std::byte* const to = out + format.bytes(static_cast<int64_t>(first));
    format.encode(piece.data(), to, n);
    format.decode(to, back, n);
    if (!std::ranges::equal(piece, std::span(back, piece.size()))) return false;
  }
  return true;
}

void add(Digest& digest, const AdapterMatrix& m) {
  digest.add(fmt::format("{} {};", m.desc().format->name, m.shape().to_string()));
  digest.add(m.bytes());
}

}  // namespace

AdapterMatrix::AdapterMatrix(const std::string& tensor, std::span<const float> values, const Shape& shape) {
  SKALD_ASSERT(std::ssize(values) == shape.elements());
  if (const auto bad = std::ranges::find_if(values, [](float x) { return !std::isfinite(x); }); bad != values.end())
    fail(Errc::kBadFile, "tensor {}: value {} of it is not finite", printable(tensor), bad - values.begin());
  desc_ = {&half(), shape};
  bytes_ = std::make_shared<const Buffer>(desc_.bytes());
  if (halve(values, bytes_->data())) return;
  desc_.format = &format_f32;
  bytes_ = std::make_shared<const Buffer>(desc_.bytes());
  std::memcpy(bytes_->data(), values.data(), values.size_bytes());
}

std::vector<float> AdapterMatrix::values() const {
  std::vector<float> out(static_cast<size_t>(desc_.shape.elements()));
  desc_.format->decode(bytes_->data(), out.data(), std::ssize(out));
  return out;
}

void want_ranks(const std::string& weight, const LowRank& change) {
  const Shape &a = change.a.shape(), &b = change.b.shape();
  const int64_t rank = change.rank();
  // A token table's A has the rank as its columns.
  if (rank < 1 || (a[a.rank() - 2] != rank && a.back() != rank))
    fail(Errc::kBadFile, "tensor {}: lora_a is {} and lora_b {}: their ranks differ", printable(weight), a.to_string(),
         b.to_string());
}

int64_t Adapter::bytes() const {
  int64_t sum = 0;
  for (const auto& [name, change] : changes) sum += change.a.desc().bytes() + change.b.desc().bytes();
  return sum;
}

int64_t Adapter::most_rank() const {
  int64_t most = 0;
  for (const auto& [name, change] : changes) most = std::max(most, change.rank());
  return most;
}

Sha256Sum Adapter::sum() const {
  Digest digest(Digest::Kind::kSha256);
  for (const TokenId token : invocation) digest.add(fmt::format("{},", token));
  for (const auto& [name, change] : changes) {
    digest.add(fmt::format("\n{} {}:", name, change.factor));
    add(digest, change.a);
    add(digest, change.b);
  }
  return sha256_of(std::move(digest));
}

}  // namespace skald
