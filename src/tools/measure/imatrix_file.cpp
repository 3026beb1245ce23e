// The GGUF form is `<weight>.in_sum2` (matrices, columns) and `<weight>.counts` (matrices), both f32. The .dat form is a
// list of (name, calls, values), where values are means times calls, then the number of calls and the last dataset.
#include "tools/measure/imatrix_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "base/checked.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "io/byte_reader.h"
#include "io/gguf.h"
#include "io/gguf_format.h"
#include "io/gguf_values.h"
#include "io/output_file.h"
#include "io/printable.h"
#include "tensor/format.h"

namespace skald {
namespace {

constexpr std::string_view kSums = ".in_sum2", kCounts = ".counts";
constexpr std::string_view kType = "imatrix";
constexpr const char* kDatasets = "imatrix.datasets";
constexpr const char* kChunkCount = "imatrix.chunk_count";
constexpr const char* kChunkSize = "imatrix.chunk_size";
constexpr double kMaxCount = 0x1p53;

void check_sums(const std::vector<float>& sums) {
  const auto wrong = std::ranges::find_if(sums, [](float v) { return !(v >= 0) || !std::isfinite(v); });
  if (wrong != sums.end()) fail(Errc::kBadFile, "value {} is {}, which is no sum of squares", wrong - sums.begin(), *wrong);
}

std::vector<float> floats_of(const GgufTensor& t) {
  if (t.type->id != format_f32.id)
    fail(Errc::kBadFile, "tensor {}: its type is {}, not f32", printable(t.name), t.type->name);
  std::vector<float> out(t.data.size() / sizeof(float));
  std::memcpy(out.data(), t.data.data(), t.data.size());
  return out;
}

std::vector<int64_t> counts_of(const GgufTensor& t) {
  std::vector<int64_t> out;
  for (const float v : floats_of(t)) {
    if (!(v >= 0 && static_cast<double>(v) <= kMaxCount))
      fail(Errc::kBadFile, "tensor {}: {} is not a count", printable(t.name), v);
    out.push_back(std::llround(v));
  }
  return out;
}

// The weight's name, if `name` has the ending.
std::optional<std::string_view> weight_of(std::string_view name, std::string_view ending) {
  if (name.size() <= ending.size() || !name.ends_with(ending)) return std::nullopt;
  return name.substr(0, name.size() - ending.size());
}

Imatrix::Entry read_entry(const Gguf& file, const GgufTensor& sums, std::string_view weight) {
  const GgufTensor* const counts = file.find(std::string(weight) + std::string(kCounts));
  if (!counts) fail(Errc::kBadFile, "tensor {} has no {}{}", printable(sums.name), printable(weight), kCounts);
  Imatrix::Entry out{floats_of(sums), counts_of(*counts)};
  if (out.sums.size() % out.counts.size() != 0)
    fail(Errc::kBadFile, "{}: {} values do not divide among {} counts", printable(weight), out.sums.size(),
         out.counts.size());
  doing("tensor " + printable(sums.name), [&] { check_sums(out.sums); });
  return out;
}

Imatrix read_gguf(std::span<const std::byte> bytes) {
  const Gguf file = Gguf::parse(bytes);
  if (const std::string type = file.meta().str("general.type", kType); type != kType)
    fail(Errc::kBadFile, "it is not an importance matrix: general.type is {}", skald::quoted(type));
  Imatrix out;
  if (file.meta().has(kDatasets)) out.datasets = file.meta().strings(kDatasets);
  out.chunk_count = file.meta().i64(kChunkCount, 0);
  out.chunk_size = file.meta().i64(kChunkSize, 1);  // counts are of tokens for any chunks
  if (out.chunk_count < 0 || out.chunk_size < 1)
    fail(Errc::kBadFile, "{} chunks of {} tokens make no sense", out.chunk_count, out.chunk_size);
  for (const GgufTensor& t : file.tensors()) {
    if (const auto weight = weight_of(t.name, kSums)) out.entries.emplace(*weight, read_entry(file, t, *weight));
    if (const auto weight = weight_of(t.name, kCounts); weight && !file.find(std::string(*weight) + std::string(kSums)))
      fail(Errc::kBadFile, "tensor {} has no {}{}", printable(t.name), printable(*weight), kSums);
  }
  return out;
}

int64_t read_length(ByteReader& in, int64_t min, int64_t bytes, std::string_view what) {
  const auto length = in.number<int32_t>(what);
  if (length < min) fail(Errc::kBadFile, "{}: {} is too few", what, length);
  return in.check_count(static_cast<uint64_t>(length), bytes, what);
}

std::string read_name(ByteReader& in, int64_t min, std::string_view what) {
  const std::vector<char> text = in.numbers<char>(read_length(in, min, 1, what), what);
  return {text.begin(), text.end()};
}

void read_dat_entry(ByteReader& in, Imatrix& out) {
  const std::string name = read_name(in, 1, "name of an entry");
  doing("entry " + printable(name), [&] {
    const auto calls = in.number<int32_t>("calls");
    if (calls < 0) fail(Errc::kBadFile, "{} is not a number of calls", calls);
    Imatrix::Entry entry;
    entry.sums = in.numbers<float>(read_length(in, 1, sizeof(float), "values"), "values");
    check_sums(entry.sums);
    // Files of old have means beside no calls.
    entry.counts = {std::max(calls, 1)};
    if (!out.entries.emplace(name, std::move(entry)).second) fail(Errc::kBadFile, "it is there twice");
  });
}

Imatrix read_dat(std::span<const std::byte> bytes) {
  constexpr int64_t kLeast = 3 * sizeof(int32_t) + 1 + sizeof(float);
  ByteReader in(bytes);
  Imatrix out;
  for (int64_t left = read_length(in, 1, kLeast, "number of entries"); left > 0; --left) read_dat_entry(in, out);
  // The fields below came later than the format.
  if (in.remaining() > 0) out.chunk_count = std::max(in.number<int32_t>("number of calls"), 0);
  if (in.remaining() > 0) out.datasets.push_back(read_name(in, 0, "dataset"));
  return out;
}

bool is_gguf(std::span<const std::byte> bytes) {
  uint32_t magic = 0;
  if (bytes.size() < sizeof(magic)) return false;
  std::memcpy(&magic, bytes.data(), sizeof(magic));
  return magic == gguf::kMagic;
}

uint32_t uint32_of(int64_t value, std::string_view what) {
  if (value < 0 || value > std::numeric_limits<uint32_t>::max())
    fail(Errc::kBadInput, "{} is {}, which the file cannot hold", what, value);
  return static_cast<uint32_t>(value);
}

Shape shape_of(int64_t matrices, int64_t columns) { return matrices == 1 ? Shape{columns} : Shape{matrices, columns}; }

void write_gguf(const Imatrix& m, const std::string& path) {
  GgufWriter writer;
  writer.meta.set("general.type", std::string(kType));
  writer.meta.set(kDatasets, MetaArray{m.datasets});
  writer.meta.set(kChunkCount, uint32_of(m.chunk_count, "the number of chunks"));
  writer.meta.set(kChunkSize, uint32_of(m.chunk_size, "the size of a chunk"));
  std::map<std::string_view, std::vector<float>> counts;
  for (const auto& [name, entry] : m.entries) {
    std::vector<float>& as_floats = counts[name];
    for (const int64_t n : entry.counts) as_floats.push_back(static_cast<float>(n));
    const auto matrices = static_cast<int64_t>(as_floats.size()), values = static_cast<int64_t>(entry.sums.size());
    writer.add_tensor(name + std::string(kSums), shape_of(matrices, values / matrices), format_f32.id,
                      std::as_bytes(std::span(entry.sums)));
    writer.add_tensor(name + std::string(kCounts), shape_of(matrices, 1), format_f32.id,
                      std::as_bytes(std::span(as_floats)));
  }
  writer.write(path);
}

void write_length(std::string& out, size_t value, std::string_view what) {
  if (value > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
    fail(Errc::kBadInput, "{}: {} is more than a .dat file can hold", what, value);
  gguf::write_number(out, static_cast<int32_t>(value));
}

void write_text(std::string& out, std::string_view text) {
  write_length(out, text.size(), "a name's length");
  out += text;
}

void write_dat(const Imatrix& m, const std::string& path) {
  if (m.chunk_size < 1) fail(Errc::kBadInput, "{}: without the size of a chunk there is no number of calls", path);
  std::string out;
  size_t entries = 0;
  for (const auto& [name, entry] : m.entries) {
    const int64_t most = *std::ranges::max_element(entry.counts);
    if (most == 0) continue;
    ++entries;
    write_text(out, name);
    const int64_t calls = ceil_div(most, m.chunk_size);
    write_length(out, static_cast<size_t>(calls), "calls");
    write_length(out, entry.sums.size(), "values");
    for (const float mean : entry.means()) gguf::write_number(out, mean * static_cast<float>(calls));
  }
  std::string head;
  write_length(head, entries, "entries");
  write_length(out, static_cast<size_t>(m.chunk_count), "chunks");
  write_text(out, m.datasets.empty() ? "" : m.datasets.back());
  OutputFile file(path);
  file.write(std::as_bytes(std::span(head)));
  file.write(std::as_bytes(std::span(out)));
  file.commit();
}

}  // namespace

std::vector<float> Imatrix::Entry::means() const {
  std::vector<float> out(sums.size(), 1.0F);
  const size_t columns = sums.size() / counts.size();
  for (size_t i = 0; i < sums.size(); ++i)
    if (const int64_t n = counts[i / columns]; n > 0) out[i] = sums[i] / static_cast<float>(n);
  return out;
}

Imatrix read_imatrix(const std::string& path) {
  const FileBytes file = FileBytes::open(path, FileBytes::How::kRead);
  return doing(path, [&] { return parse_imatrix(file.bytes()); });
}

Imatrix parse_imatrix(std::span<const std::byte> bytes) {
  Imatrix out = is_gguf(bytes) ? read_gguf(bytes) : read_dat(bytes);
  if (out.entries.empty()) fail(Errc::kBadFile, "it has no entries for any weight");
  return out;
}

void write_imatrix(const Imatrix& imatrix, const std::string& path, ImatrixFormat format) {
  for (const auto& named : imatrix.entries) {
    const Imatrix::Entry& entry = named.second;
    SKALD_ASSERT(!entry.counts.empty() && !entry.sums.empty() && entry.sums.size() % entry.counts.size() == 0);
  }
  format == ImatrixFormat::kGguf ? write_gguf(imatrix, path) : write_dat(imatrix, path);
}

}  // namespace skald
