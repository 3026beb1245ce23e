// The head of a GGUF file field by field, each checked before it is used, then the tensors' places in the data.
#include "io/gguf_parse.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/checked.h"
#include "base/error.h"
#include "io/byte_reader.h"
#include "io/gguf_format.h"
#include "io/gguf_values.h"
#include "io/printable.h"

namespace skald::gguf {
namespace {

// The smallest encodings, which bound the two counts of the header before anything is allocated for them.
constexpr int64_t kMinPairBytes = 8 + 1 + 4 + 1;            // key, type, value
constexpr int64_t kMinTensorBytes = 8 + 1 + 4 + 8 + 4 + 8;  // name, rank, one dimension, type, offset

struct Counts {
  int64_t tensors, pairs;
};

// A tensor's place in the data section, as the file gives it.
struct Extent {
  uint64_t offset;
  int64_t bytes;
};

uint32_t read_version(ByteReader& in) {
  if (in.remaining() < 4) fail(Errc::kBadFile, "not a GGUF file: it has only {} bytes", in.remaining());
  const auto magic = in.number<uint32_t>("the magic");
  if (magic != kMagic) {
    const std::string_view text(reinterpret_cast<const char*>(&magic), 4);
    fail(Errc::kBadFile, "not a GGUF file: it begins with {}", skald::quoted(text));
  }
  const auto version = in.number<uint32_t>("the version");
  if (version == 2 || version == 3) return version;
  if (version && (version & 0xffff) == 0) fail(Errc::kUnsupported, "big-endian GGUF files are not supported");
  fail(Errc::kUnsupported, "GGUF version {} is not supported; 2 and 3 are", version);
}

Counts read_counts(ByteReader& in) {
  const auto tensors = in.number<uint64_t>("the number of tensors");
  const auto pairs = in.number<uint64_t>("the number of keys");
  return {in.check_count(tensors, kMinTensorBytes, "the list of tensors"),
          in.check_count(pairs, kMinPairBytes, "the list of keys")};
}

void read_pair(ByteReader& in, Meta& meta) {
  std::string key = in.string("a key");
  if (key.empty()) fail(Errc::kBadFile, "a key is empty (before byte {})", in.position());
  if (meta.has(key)) fail(Errc::kBadFile, "key {} occurs twice", printable(key));
  MetaValue value = doing("key " + printable(key), [&] { return read_value(in); });
  meta.set(std::move(key), std::move(value));
}

Shape read_shape(ByteReader& in) {
  const auto rank = in.number<uint32_t>("the number of dimensions");
  if (rank < 1 || rank > kMaxRank) fail(Errc::kBadFile, "it has {} dimensions; 1 to {} are possible", rank, kMaxRank);
  int64_t dims[kMaxRank];
  for (uint32_t i = 0; i < rank; ++i) {
    const auto n = in.number<uint64_t>("a dimension");
    if (n < 1 || n > uint64_t{INT64_MAX}) fail(Errc::kBadFile, "dimension {} is {}", i, n);
    dims[rank - 1 - i] = static_cast<int64_t>(n);  // the file has the contiguous dimension first
  }
  return {dims, static_cast<int>(rank)};
}

Extent read_tensor(ByteReader& in, std::vector<GgufTensor>& tensors) {
  std::string name = in.string("a tensor's name");
  if (name.empty()) fail(Errc::kBadFile, "tensor {} has an empty name", tensors.size());
  return doing("tensor " + printable(name), [&] {
    const Shape shape = read_shape(in);
    const auto id = in.number<uint32_t>("the type");
    const GgufType* type = find_gguf_type(id);
    if (!type) fail(Errc::kBadFile, "its type, {}, is unknown or withdrawn", id);
    const Extent extent{in.number<uint64_t>("the offset"), tensor_bytes(*type, shape, Errc::kBadFile)};
    tensors.push_back({std::move(name), shape, type, {}});
    return extent;
  });
}

// Gives each tensor its bytes, which must lie aligned inside the data section.
void place(std::vector<GgufTensor>& tensors, const std::vector<Extent>& extents, std::span<const std::byte> section,
           int64_t alignment) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto [offset, bytes] = extents[i];
    const std::string name = printable(tensors[i].name);
    if (offset % static_cast<uint64_t>(alignment) != 0)
      fail(Errc::kBadFile, "tensor {}: its offset {} is not a multiple of the alignment {}", name, offset, alignment);
    if (offset > section.size() || static_cast<uint64_t>(bytes) > section.size() - offset)
      fail(Errc::kBadFile, "tensor {}: its {} bytes at offset {} go past the end of the file's {} bytes of data", name,
           bytes, offset, section.size());
    tensors[i].data = section.subspan(offset, static_cast<size_t>(bytes));
  }
}

// No writer makes two tensors that share bytes. They are rejected, so that those bytes are not counted twice.
void refuse_overlaps(const std::vector<GgufTensor>& tensors) {
  std::vector<const GgufTensor*> order;
  order.reserve(tensors.size());
  for (const GgufTensor& t : tensors) order.push_back(&t);
  std::sort(order.begin(), order.end(), [](auto* a, auto* b) { return a->data.data() < b->data.data(); });
  for (size_t i = 1; i < order.size(); ++i) {
    const auto &a = *order[i - 1], &b = *order[i];
    if (a.data.data() + a.data.size() > b.data.data())
      fail(Errc::kBadFile, "tensors {} and {} overlap", printable(a.name), printable(b.name));
  }
}

}  // namespace

File parse(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  File file;
  file.version = read_version(in);
  const Counts counts = read_counts(in);
  for (int64_t i = 0; i < counts.pairs; ++i) read_pair(in, file.meta);
  const int64_t align = alignment(file.meta, Errc::kBadFile);

  // The keys took some of the bytes that bounded the count above.
  in.check_count(static_cast<uint64_t>(counts.tensors), kMinTensorBytes, "the list of tensors");
  file.tensors.reserve(static_cast<size_t>(counts.tensors));
  std::vector<Extent> extents;
  extents.reserve(static_cast<size_t>(counts.tensors));
  for (int64_t i = 0; i < counts.tensors; ++i) extents.push_back(read_tensor(in, file.tensors));
  index_by_name(file.tensors);

  // A file without tensors may end right after its head.
  const auto start = std::min(static_cast<size_t>(round_up(in.position(), align)), bytes.size());
  place(file.tensors, extents, bytes.subspan(start), align);
  refuse_overlaps(file.tensors);
  return file;
}

Meta parse_beginning(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  read_version(in);
  in.number<uint64_t>("the number of tensors");
  const auto pairs = in.number<uint64_t>("the number of keys");
  Meta meta;
  try {
    for (uint64_t i = 0; i < pairs; ++i) read_pair(in, meta);
  } catch (const Error&) {
    return meta;  // the bytes end here
  }
  return meta;
}

std::unordered_map<std::string_view, size_t> index_by_name(const std::vector<GgufTensor>& tensors) {
  std::unordered_map<std::string_view, size_t> index;
  index.reserve(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i)
    if (!index.emplace(tensors[i].name, i).second)
      fail(Errc::kBadFile, "tensor {} occurs twice", printable(tensors[i].name));
  return index;
}

}  // namespace skald::gguf
