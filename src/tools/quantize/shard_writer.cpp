#include "tools/quantize/shard_writer.h"

#include <iterator>
#include <limits>
#include <utility>

#include "base/error.h"
#include "io/gguf_format.h"

namespace skald {

void check_shard_count(size_t count) {
  constexpr size_t kMost = std::numeric_limits<uint16_t>::max();  // split.count is a uint16
  if (count > kMost) fail(Errc::kBadInput, "{} shards are too many: at most {} can be counted", count, kMost);
}

ShardWriter::ShardWriter(std::string prefix, size_t count, Meta meta, size_t tensors)
    : name_{std::move(prefix), 1, static_cast<int64_t>(count)}, meta_(std::move(meta)), tensors_(tensors) {
  check_shard_count(count);
}

void ShardWriter::write(GgufWriter writer) {
  SKALD_ASSERT(std::ssize(written_) < name_.count);
  writer.meta = next_meta();
  auto file = std::make_unique<OutputFile>(name_.path(std::ssize(written_) + 1));
  writer.write(*file);
  file->finish();
  written_.push_back(std::move(file));
}

void ShardWriter::commit() {
  SKALD_ASSERT(std::ssize(written_) == name_.count);
  for (const auto& file : written_) file->commit();
}

Meta ShardWriter::next_meta() const {
  Meta meta = written_.empty() ? meta_ : Meta();
  if (const MetaValue* alignment = meta_.find(gguf::kAlignmentKey)) meta.set(std::string(gguf::kAlignmentKey), *alignment);
  meta.set(std::string(gguf::kSplitNo), static_cast<uint16_t>(written_.size()));
  meta.set(std::string(gguf::kSplitCount), static_cast<uint16_t>(name_.count));
  meta.set(std::string(gguf::kSplitTensors), static_cast<int32_t>(tensors_));
  return meta;
}

}  // namespace skald
