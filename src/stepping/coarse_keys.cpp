#include "stepping/coarse_keys.h"

#include <algorithm>
#include <cmath>

#include "base/log.h"
#include "graph/ops/kv_append.h"

namespace skald {
namespace {

// A head whose rounding errors are a larger share of what tells its keys apart cannot find what it looks for. The greatest
// shares of three models are 0.03 where q4_0 keys serve, and 1.8 and 10 where they do not (docs/design/key-codes.md).
constexpr double kMuch = 0.25;

// The transform that the cache makes of a row before it rounds it. Lengths stay.
void rotate(std::span<float> x) {
  const auto block = static_cast<size_t>(hadamard_block(std::ssize(x)));
  for (size_t half = 1; half < block; half *= 2)
    for (size_t at = 0; at < x.size(); at += 2 * half)
      for (size_t i = at; i < at + half; ++i) {
        const float a = x[i], b = x[i + half];
        x[i] = a + b;
        x[i + half] = a - b;
      }
  for (float& v : x) v /= std::sqrt(static_cast<float>(block));
}

}  // namespace

CoarseKeys::CoarseKeys(const KvSpec& spec) : spec_(spec), slots_(spec.slots.size()) {
  if (spec.groups.empty() || spec.k_codes != KeyCodes::kNone || spec.k_format->block == 1) return;
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!spec.is_attention(static_cast<int64_t>(i))) continue;
    slots_[i].heads.resize(static_cast<size_t>(spec.attention(static_cast<int64_t>(i)).n_kv_heads));
    done_ = false;
  }
}

void CoarseKeys::before(const Graph&, const Node& node, std::span<const TensorView> in) {
  if (node.op != &op_kv_append) return;
  Slot& slot = slots_[static_cast<size_t>(node.attrs.get<KvAppend>().slot)];
  if (slot.heads.empty()) return;
  const TensorView& k = in[0];
  const size_t d = static_cast<size_t>(k.cols()) / slot.heads.size();
  const int64_t rows = std::min(k.rows(), kKeys - slot.n);
  for (int64_t r = 0; r < rows; ++r)
    for (size_t head = 0; head < slot.heads.size(); ++head) add(slot.heads[head], {k.row(r) + head * d, d});
  slot.n += rows;
  done_ = done_ || slot.n == kKeys;
}

void CoarseKeys::add(Head& to, std::span<const float> key) {
  const Format& format = *spec_.k_format;
  const int64_t columns = kv_columns(format, std::ssize(key));
  key_.assign(key.begin(), key.end());
  key_.resize(static_cast<size_t>(columns));
  if (spec_.k_rotated) rotate(key_);
  to.keys.add(key_);
  stored_.resize(static_cast<size_t>(format.bytes(columns)));
  rounded_.resize(key_.size());
  format.encode(key_.data(), stored_.data(), columns);
  format.decode(stored_.data(), rounded_.data(), columns);
  for (size_t i = 0; i < key_.size(); ++i) rounded_[i] -= key_[i];
  to.errors.add(rounded_);
}

void CoarseKeys::Sums::add(std::span<const float> x) {
  sums.resize(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const auto v = static_cast<double>(x[i]);
    sums[i] += v;
    squares += v * v;
  }
}

double CoarseKeys::Sums::spread(int64_t n) const {
  double constant = 0;
  for (const double sum : sums) constant += sum * sum;
  return squares - constant / static_cast<double>(n);
}

// Of each head: the errors' spread over the keys'.
std::vector<double> CoarseKeys::shares() const {
  std::vector<double> out;
  for (const Slot& slot : slots_) {
    if (slot.n == 0) continue;
    for (const Head& head : slot.heads)
      if (const double keys = head.keys.spread(slot.n); keys > 0) out.push_back(head.errors.spread(slot.n) / keys);
  }
  return out;
}

void CoarseKeys::tell() const {
  const std::vector<double> shares = this->shares();
  const auto spoiled = std::ranges::count_if(shares, [](double share) { return share > kMuch; });
  if (!spoiled) return;
  const Format& format = *spec_.k_format;
  log(LogLevel::kWarn,
      "{} keys lose much of what this model knows: in {} of {} heads, rounding errors are more than a quarter of what tells "
      "keys apart, at worst {:.1f} times as much; {}",
      format.name, spoiled, shares.size(), std::ranges::max(shares),
      format.bytes_per_number() < 0.75 ? "-ctk kc4 (or -ct small) takes as few bits and keeps it" : "-ctk kc8 keeps it");
}

}  // namespace skald
