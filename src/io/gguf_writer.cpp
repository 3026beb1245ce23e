// GgufWriter: head and data section of an unsplit v3 file.
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "io/gguf.h"
#include "io/gguf_format.h"
#include "io/gguf_split.h"
#include "io/gguf_values.h"
#include "io/output_file.h"
#include "io/printable.h"

namespace skald {
namespace {

void write_pairs(std::string& out, const Meta& meta) {
  for (const auto& entry : meta.entries()) {
    const std::string& key = entry.first;
    if (key.empty()) fail(Errc::kBadInput, "a key is empty");
    gguf::write_string(out, key);
    doing("key " + printable(key), [&] { gguf::write_value(out, entry.second); });
  }
}

void write_tensor(std::string& out, const GgufWriter::Entry& t, int64_t offset) {
  gguf::write_string(out, t.name);
  gguf::write_number(out, static_cast<uint32_t>(t.shape.rank()));
  for (int i = t.shape.rank() - 1; i >= 0; --i) gguf::write_number(out, static_cast<uint64_t>(t.shape[i]));
  gguf::write_number(out, t.type->id);
  gguf::write_number(out, static_cast<uint64_t>(offset));
}

std::string head(const Meta& meta, const std::vector<GgufWriter::Entry>& tensors, int64_t alignment) {
  std::string out;
  gguf::write_number(out, gguf::kMagic);
  gguf::write_number(out, gguf::kVersion);
  gguf::write_number(out, static_cast<uint64_t>(tensors.size()));
  gguf::write_number(out, static_cast<uint64_t>(meta.entries().size()));
  write_pairs(out, meta);
  int64_t offset = 0;
  for (const GgufWriter::Entry& t : tensors) {
    write_tensor(out, t, offset);
    offset += round_up(t.bytes, alignment);
  }
  out.resize(static_cast<size_t>(round_up(static_cast<int64_t>(out.size()), alignment)), '\0');
  return out;
}

// As many bytes as were announced: the offsets of all later tensors depend on it.
void write_data(OutputFile& file, const GgufWriter::Entry& t) {
  int64_t written = 0;
  t.give([&](std::span<const std::byte> piece) {
    written += static_cast<int64_t>(piece.size());
    if (written <= t.bytes) file.write(piece);
  });
  if (written != t.bytes)
    fail(Errc::kInternal, "tensor {}: {} bytes were given, not {}", printable(t.name), written, t.bytes);
}

}  // namespace

void GgufWriter::add_tensor(std::string name, Shape shape, uint32_t type, std::span<const std::byte> data) {
  add(std::move(name), shape, type, static_cast<int64_t>(data.size()), [data](const TakeBytes& take) { take(data); });
}

void GgufWriter::add_tensor(std::string name, Shape shape, uint32_t type, GiveBytes give) {
  add(std::move(name), shape, type, std::nullopt, std::move(give));
}

void GgufWriter::add(std::string name, const Shape& shape, uint32_t type, std::optional<int64_t> given, GiveBytes give) {
  if (name.empty()) fail(Errc::kBadInput, "a tensor's name is empty");
  doing("tensor " + printable(name), [&] {
    if (names_.contains(name)) fail(Errc::kBadInput, "the name is taken");
    const GgufType* known = find_gguf_type(type);
    if (!known) fail(Errc::kBadInput, "type {} is unknown", type);
    const int64_t bytes = gguf::tensor_bytes(*known, shape, Errc::kBadInput);
    if (given && *given != bytes)
      fail(Errc::kBadInput, "{} of {} takes {} bytes, not {}", shape.to_string(), known->name, bytes, *given);
    names_.insert(name);
    tensors_.push_back({std::move(name), shape, known, bytes, std::move(give)});
  });
}

int64_t GgufWriter::data_bytes() const {
  int64_t sum = 0;
  for (const Entry& t : tensors_) sum += t.bytes;
  return sum;
}

void GgufWriter::write(const std::string& path) const {
  if (const auto shard = gguf::parse_shard_name(path); shard && shard->count > 1 && !meta.find(gguf::kSplitCount))
    fail(Errc::kBadInput, "{}: such a name is that of one shard of several; this is a whole model", path);
  OutputFile file(path);
  write(file);
  file.commit();
}

void GgufWriter::write(OutputFile& file) const {
  const int64_t alignment = doing(file.path(), [&] { return gguf::alignment(meta, Errc::kBadInput); });
  const std::string first = doing(file.path(), [&] { return head(meta, tensors_, alignment); });
  const std::vector<std::byte> zeros(static_cast<size_t>(alignment));
  file.write(std::as_bytes(std::span(first)));
  for (const Entry& t : tensors_) {
    write_data(file, t);
    file.write(std::span(zeros).first(static_cast<size_t>(round_up(t.bytes, alignment) - t.bytes)));
  }
}

}  // namespace skald
