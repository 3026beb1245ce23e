#include "tools/split.h"

#include <limits>
#include <memory>

#include "base/checked.h"
#include "base/error.h"
#include "io/gguf.h"
#include "io/gguf_format.h"
#include "io/gguf_split.h"
#include "io/output_file.h"

namespace skald {
namespace {

constexpr int64_t kMostShards = std::numeric_limits<uint16_t>::max();  // split.count is a uint16

std::vector<PlannedShard> plan(const Gguf& file, const std::string& prefix, const SplitOptions& options) {
  const int64_t alignment = gguf::alignment(file.meta(), Errc::kBadFile);
  std::vector<PlannedShard> out(options.no_tensor_first_split ? 2 : 1);
  for (size_t i = 0; i < file.tensors().size(); ++i) {
    const int64_t bytes = round_up(static_cast<int64_t>(file.tensors()[i].data.size()), alignment);
    const PlannedShard& now = out.back();
    const bool full =
        options.max_bytes ? now.bytes + bytes > options.max_bytes : static_cast<int64_t>(now.tensors) >= options.max_tensors;
    if (full && now.tensors) out.push_back({.path = {}, .first = i});
    ++out.back().tensors;
    out.back().bytes += bytes;
  }
  if (static_cast<int64_t>(out.size()) > kMostShards)
    fail(Errc::kBadInput, "{} shards are too many: at most {} can be counted", out.size(), kMostShards);
  const gguf::ShardName name{prefix, 1, static_cast<int64_t>(out.size())};
  for (size_t i = 0; i < out.size(); ++i) out[i].path = name.path(static_cast<int64_t>(i + 1));
  return out;
}

// The first shard has the model's metadata, the others what it takes to read them.
Meta shard_meta(const Gguf& file, size_t number, size_t count) {
  Meta meta = number == 0 ? file.meta() : Meta();
  if (const MetaValue* alignment = file.meta().find(gguf::kAlignmentKey))
    meta.set(std::string(gguf::kAlignmentKey), *alignment);
  meta.set(std::string(gguf::kSplitNo), static_cast<uint16_t>(number));
  meta.set(std::string(gguf::kSplitCount), static_cast<uint16_t>(count));
  meta.set(std::string(gguf::kSplitTensors), static_cast<int32_t>(file.tensors().size()));
  return meta;
}

// Copies tensors as they lie.
class Copy {
 public:
  Copy(const Gguf& file, const std::function<void(double)>& progress) : file_(file), progress_(progress) {
    for (const GgufTensor& t : file.tensors()) bytes_ += static_cast<int64_t>(t.data.size());
  }
  int64_t bytes() const { return bytes_; }

  void add(GgufWriter& writer, const GgufTensor& t) {
    writer.add_tensor(t.name, t.shape, t.type->id, [this, &t](const TakeBytes& take) {
      take(t.data);
      file_.give_back(t);
      written_ += static_cast<int64_t>(t.data.size());
      if (progress_) progress_(static_cast<double>(written_) / static_cast<double>(bytes_));
    });
  }

 private:
  const Gguf& file_;
  const std::function<void(double)>& progress_;
  int64_t bytes_ = 0, written_ = 0;
};

// Written to the disk, but without its name yet.
std::unique_ptr<OutputFile> write_shard(const Gguf& file, const PlannedShard& shard, Meta meta, Copy& copy) {
  GgufWriter writer;
  writer.meta = std::move(meta);
  for (size_t i = shard.first; i < shard.first + shard.tensors; ++i) copy.add(writer, file.tensors()[i]);
  auto out = std::make_unique<OutputFile>(shard.path);
  writer.write(*out);
  out->finish();
  return out;
}

}  // namespace

std::vector<PlannedShard> plan_split(const std::string& in, const std::string& prefix, const SplitOptions& options) {
  return plan(Gguf::open(in, FileBytes::How::kMap), prefix, options);
}

std::vector<PlannedShard> split_file(const std::string& in, const std::string& prefix, const SplitOptions& options,
                                     const std::function<void(double)>& progress) {
  const Gguf file = Gguf::open(in, FileBytes::How::kMap);
  std::vector<PlannedShard> shards = plan(file, prefix, options);
  const auto name = gguf::parse_shard_name(in);
  if (name && same_file(name->path(1), shards.front().path))
    fail(Errc::kBadInput, "{} is read: it cannot be written too", shards.front().path);
  Copy copy(file, progress);
  std::vector<std::unique_ptr<OutputFile>> written;
  for (size_t i = 0; i < shards.size(); ++i)
    written.push_back(write_shard(file, shards[i], shard_meta(file, i, shards.size()), copy));
  for (const auto& shard : written) shard->commit();
  return shards;
}

MergedFile merge_files(const std::string& in, const std::string& out, const std::function<void(double)>& progress) {
  const auto name = gguf::parse_shard_name(in);
  if (!name)
    fail(Errc::kBadInput, "{}: its name is not that of a shard, as in {}", in, (gguf::ShardName{"x", 1, 3}.path(1)));
  const Gguf file = Gguf::open(in, FileBytes::How::kMap);
  for (int64_t i = 1; i <= name->count; ++i)
    if (same_file(name->path(i), out)) fail(Errc::kBadInput, "{} is read: it cannot be written too", out);
  Copy copy(file, progress);
  GgufWriter writer;
  writer.meta = file.meta();
  for (const GgufTensor& t : file.tensors()) copy.add(writer, t);
  writer.write(out);
  return {.shards = name->count, .tensors = static_cast<int64_t>(file.tensors().size()), .bytes = copy.bytes()};
}

}  // namespace skald
