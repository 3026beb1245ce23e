#include "engine/slot_image.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace skald {
namespace {

static_assert(std::endian::native == std::endian::little);

// Magic, the owner, counts, the scope, tokens (i32). Then of each record its page (u64), part (i32), zeros, and length
// (u64), with the bytes after it. Last the SHA-256 of all before it.
constexpr std::array<char, 8> kMagic = {'s', 'k', 'a', 'l', 'd', 's', 'l', '2'};
struct Head {
  std::array<char, 8> magic = kMagic;
  PageKey root = {};
  uint64_t generated = 0, scope_bytes = 0, n_tokens = 0, n_records = 0;
};
struct RecordLine {
  uint64_t page = 0;
  int32_t part = 0, zero = 0;
  uint64_t bytes = 0;
};

template <class T>
void add(std::vector<std::byte>& out, const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

[[noreturn]] void damaged() { fail(Errc::kBadFile, "the file is damaged, or no saved slot"); }

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : left_(bytes) {}
  std::span<const std::byte> take(uint64_t n) {
    if (n > left_.size()) damaged();
    const std::span<const std::byte> out = left_.first(static_cast<size_t>(n));
    left_ = left_.subspan(static_cast<size_t>(n));
    return out;
  }
  template <class T>
  T get() {
    T out;
    std::memcpy(&out, take(sizeof out).data(), sizeof out);
    return out;
  }
  size_t left() const { return left_.size(); }

 private:
  std::span<const std::byte> left_;
};

}  // namespace

std::vector<std::byte> slot_file(const SlotImage& image, const PageKey& root) {
  std::vector<std::byte> out;
  add(out, Head{.root = root,
                .generated = image.generated,
                .scope_bytes = image.scope.size(),
                .n_tokens = image.tokens.size(),
                .n_records = image.records.size()});
  const auto scope = std::as_bytes(std::span(image.scope));
  out.insert(out.end(), scope.begin(), scope.end());
  const auto tokens = std::as_bytes(std::span(image.tokens));
  out.insert(out.end(), tokens.begin(), tokens.end());
  for (const SlotImage::Record& r : image.records) {
    add(out, RecordLine{static_cast<uint64_t>(r.piece.page), r.piece.part.number, 0, r.payload.size()});
    out.insert(out.end(), r.payload.begin(), r.payload.end());
  }
  add(out, sha256({out}));
  return out;
}

SlotImage read_slot_file(std::span<const std::byte> file, const PageKey& root) {
  if (file.size() < sizeof(Head) + sizeof(Sha256Sum)) damaged();
  const auto content = file.first(file.size() - sizeof(Sha256Sum));
  const Sha256Sum sum = sha256({content});
  if (!std::ranges::equal(file.subspan(content.size()), sum)) damaged();
  Reader reader(content);
  const auto head = reader.get<Head>();
  if (head.magic != kMagic) damaged();
  if (head.root != root)
    fail(Errc::kBadFile, "the file was saved for another key, by another model, or with other options of the cache");
  SlotImage image;
  image.generated = head.generated != 0;
  const auto scope = reader.take(head.scope_bytes);
  image.scope.assign(reinterpret_cast<const char*>(scope.data()), scope.size());
  if (head.n_tokens > reader.left() / sizeof(TokenId)) damaged();
  image.tokens.resize(static_cast<size_t>(head.n_tokens));
  const auto tokens = reader.take(head.n_tokens * sizeof(TokenId));
  std::ranges::copy(tokens, std::as_writable_bytes(std::span(image.tokens)).begin());
  for (uint64_t i = 0; i < head.n_records; ++i) {
    const auto line = reader.get<RecordLine>();
    const auto bytes = reader.take(line.bytes);
    if (line.page >= head.n_tokens / kPageKeys) damaged();
    image.records.push_back({{static_cast<int64_t>(line.page), {line.part}}, {bytes.begin(), bytes.end()}});
  }
  if (reader.left() > 0) damaged();
  return image;
}

}  // namespace skald
