#include "io/safetensors.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/checked.h"
#include "base/error.h"
#include "io/byte_reader.h"
#include "io/json.h"
#include "io/printable.h"

namespace skald {
namespace {

using nlohmann::json;

constexpr int64_t kMaxHeader = 100'000'000;  // the format's own limit
constexpr int64_t kMaxRank = 16;
constexpr std::string_view kMetadata = "__metadata__";

struct TypeRow {
  SafetensorsType type;
  std::string_view name;
  int64_t bytes;
};

constexpr std::array kTypeRows = {
    TypeRow{SafetensorsType::kBool, "BOOL", 1},      TypeRow{SafetensorsType::kU8, "U8", 1},
    TypeRow{SafetensorsType::kI8, "I8", 1},          TypeRow{SafetensorsType::kF8E5M2, "F8_E5M2", 1},
    TypeRow{SafetensorsType::kF8E4M3, "F8_E4M3", 1}, TypeRow{SafetensorsType::kF8E8M0, "F8_E8M0", 1},
    TypeRow{SafetensorsType::kU16, "U16", 2},        TypeRow{SafetensorsType::kI16, "I16", 2},
    TypeRow{SafetensorsType::kF16, "F16", 2},        TypeRow{SafetensorsType::kBF16, "BF16", 2},
    TypeRow{SafetensorsType::kU32, "U32", 4},        TypeRow{SafetensorsType::kI32, "I32", 4},
    TypeRow{SafetensorsType::kF32, "F32", 4},        TypeRow{SafetensorsType::kU64, "U64", 8},
    TypeRow{SafetensorsType::kI64, "I64", 8},        TypeRow{SafetensorsType::kF64, "F64", 8},
};

const TypeRow& row_of(SafetensorsType type) { return kTypeRows[static_cast<size_t>(type)]; }

const json& member(const json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end()) fail(Errc::kBadFile, "{} is missing", key);
  return *it;
}

SafetensorsType type_of(const json& entry) {
  const json& dtype = member(entry, "dtype");
  if (!dtype.is_string()) fail(Errc::kBadFile, "dtype: want a string, file has {}", dtype.type_name());
  const auto& name = dtype.get_ref<const std::string&>();
  for (const TypeRow& row : kTypeRows)
    if (row.name == name) return row.type;
  fail(Errc::kUnsupported, "dtype {} is unknown", skald::quoted(name));
}

// Whole numbers from 0; nothing else is a size.
std::vector<int64_t> sizes(const json& entry, const char* key, size_t most) {
  const json& list = member(entry, key);
  if (!list.is_array() || list.size() > most) fail(Errc::kBadFile, "{}: want a list of at most {} sizes", key, most);
  std::vector<int64_t> out;
  for (const json& x : list) {
    if (!x.is_number_unsigned() || x.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
      fail(Errc::kBadFile, "{}: want sizes, file has {}", key, printable(x.dump()));
    out.push_back(x.get<int64_t>());
  }
  return out;
}

int64_t bytes_of(SafetensorsType type, const std::vector<int64_t>& shape) {
  std::optional<int64_t> bytes = row_of(type).bytes;
  for (const int64_t n : shape) bytes = bytes ? checked_mul(*bytes, n) : std::nullopt;
  if (!bytes) fail(Errc::kBadFile, "the shape's size overflows");
  return *bytes;
}

SafetensorsTensor parse_entry(const std::string& name, const json& entry, std::span<const std::byte> data) {
  if (!entry.is_object()) fail(Errc::kBadFile, "want an object, file has {}", entry.type_name());
  SafetensorsTensor t{name, type_of(entry), sizes(entry, "shape", kMaxRank), {}};
  const std::vector<int64_t> offsets = sizes(entry, "data_offsets", 2);
  const auto end_of_data = static_cast<int64_t>(data.size());
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > end_of_data)
    fail(Errc::kBadFile, "data_offsets {}: want a range within {} bytes of data", printable(entry["data_offsets"].dump()),
         end_of_data);
  const int64_t want = bytes_of(t.type, t.shape), have = offsets[1] - offsets[0];
  if (want != have) fail(Errc::kBadFile, "shape and type take {} bytes, data_offsets say {}", want, have);
  t.data = data.subspan(static_cast<size_t>(offsets[0]), static_cast<size_t>(have));
  return t;
}

// Data must be covered by tensors exactly: no gaps, which could hide something, and no overlaps.
void check_cover(const std::vector<SafetensorsTensor>& sorted, std::span<const std::byte> data) {
  const std::byte* at = data.data();
  for (const SafetensorsTensor& t : sorted) {
    if (t.data.data() != at)
      fail(Errc::kBadFile, "tensor {}: its data begins at byte {}, want {}: {}", printable(t.name),
           t.data.data() - data.data(), at - data.data(),
           t.data.data() < at ? "it overlaps with another tensor's" : "there is a gap before it");
    at += t.data.size();
  }
  const auto rest = data.data() + data.size() - at;
  if (rest) fail(Errc::kBadFile, "{} bytes after the last tensor belong to none", rest);
}

json parse_header(std::span<const std::byte> bytes, int64_t size) {
  const auto* text = reinterpret_cast<const char*>(bytes.data()) + sizeof(uint64_t);
  json header = doing("header", [&] {
    return parse_json({text, static_cast<size_t>(size)}, {.max_depth = 8, .unique_keys = true});
  });
  if (!header.is_object()) fail(Errc::kBadFile, "header: want an object, file has {}", header.type_name());
  return header;
}

}  // namespace

std::string_view name_of(SafetensorsType type) { return row_of(type).name; }
int64_t bytes_of(SafetensorsType type) { return row_of(type).bytes; }

Safetensors Safetensors::parse(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  const auto size = in.number<uint64_t>("the header's length");
  if (size > static_cast<uint64_t>(std::min(kMaxHeader, in.remaining())))
    fail(Errc::kBadFile, "header of {} bytes: want at most {}, and the file has {} more", size, kMaxHeader, in.remaining());
  const json header = parse_header(bytes, static_cast<int64_t>(size));
  const std::span<const std::byte> data = bytes.subspan(sizeof(uint64_t) + static_cast<size_t>(size));
  Safetensors out;
  for (auto it = header.begin(); it != header.end(); ++it)
    if (it.key() != kMetadata)
      out.tensors_.push_back(doing("tensor " + printable(it.key()), [&] { return parse_entry(it.key(), *it, data); }));
  // By their ends where they begin at the same byte: tensors without elements come first.
  std::ranges::sort(out.tensors_, {}, [](const SafetensorsTensor& t) { return std::pair(t.data.data(), t.data.size()); });
  check_cover(out.tensors_, data);
  for (size_t i = 0; i < out.tensors_.size(); ++i) out.by_name_.emplace(out.tensors_[i].name, i);
  return out;
}

Safetensors Safetensors::open(const std::string& path, FileBytes::How how) {
  FileBytes file = FileBytes::open(path, how);
  Safetensors out = doing(path, [&] { return parse(file.bytes()); });
  out.file_ = std::move(file);
  return out;
}

const SafetensorsTensor* Safetensors::find(std::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : &tensors_[it->second];
}

}  // namespace skald
