// Gguf: opening a file or all shards of one, and finding tensors.
#include "io/gguf.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/memory.h"
#include "io/gguf_parse.h"
#include "io/gguf_split.h"
#include "io/output_file.h"

namespace skald {
namespace {

// The shards of a model, or the one file of an unsplit one.
struct Shards {
  std::vector<FileBytes> files;
  std::vector<gguf::File> parsed;  // same order
};

Shards open_shards(const std::string& path, const gguf::ShardName& name, FileBytes::How how) {
  if (name.number < 1 || name.number > name.count)
    fail(Errc::kBadFile, "{}: its name says shard {} of {}", path, name.number, name.count);
  Shards out;
  int64_t tensors = 0;
  for (int64_t i = 1; i <= name.count; ++i) {
    const std::string which = fmt::format("{}: shard {} of {}", path, i, name.count);
    out.files.push_back(doing(which, [&] { return FileBytes::open(name.path(i), how); }));
    out.parsed.push_back(doing(name.path(i), [&] {
      gguf::File shard = gguf::parse(out.files.back().bytes());
      gguf::check_shard(shard.meta, i, name.count);
      return shard;
    }));
    tensors += static_cast<int64_t>(out.parsed.back().tensors.size());
  }
  for (int64_t i = 1; name.count > 1 && i <= name.count; ++i) {
    const Meta& meta = out.parsed[static_cast<size_t>(i - 1)].meta;
    doing(name.path(i), [&] { gguf::check_tensor_count(meta, i, tensors); });
  }
  return out;
}

Shards open_single(const std::string& path, FileBytes::How how) {
  Shards out;
  out.files.push_back(FileBytes::open(path, how));
  doing(path, [&] {
    out.parsed.push_back(gguf::parse(out.files.back().bytes()));
    gguf::refuse_lone_shard(out.parsed.back().meta);
  });
  return out;
}

}  // namespace

Gguf Gguf::open(const std::string& path, FileBytes::How how) {
  const auto name = gguf::parse_shard_name(path);
  Shards shards = name ? open_shards(path, *name, how) : open_single(path, how);
  Gguf out;
  for (gguf::File& f : shards.parsed) {
    const auto number = std::ssize(out.shards_) + 1;
    out.shards_.push_back({name ? name->path(number) : path, f.tensors.size()});
    std::move(f.tensors.begin(), f.tensors.end(), std::back_inserter(out.tensors_));
  }
  for (const FileBytes& f : shards.files) out.file_bytes_ += static_cast<int64_t>(f.bytes().size());
  out.by_name_ = doing(path, [&] { return gguf::index_by_name(out.tensors_); });
  out.version_ = shards.parsed.front().version;
  out.meta_ = name ? gguf::without_split_keys(shards.parsed.front().meta) : std::move(shards.parsed.front().meta);
  out.files_ = std::move(shards.files);
  out.how_ = how;
  return out;
}

Gguf Gguf::parse(std::span<const std::byte> bytes) {
  gguf::File file = gguf::parse(bytes);
  gguf::refuse_lone_shard(file.meta);
  Gguf out;
  out.version_ = file.version;
  out.file_bytes_ = static_cast<int64_t>(bytes.size());
  out.meta_ = std::move(file.meta);
  out.tensors_ = std::move(file.tensors);
  out.by_name_ = gguf::index_by_name(out.tensors_);
  return out;
}

bool Gguf::give_back(const GgufTensor& tensor) const {
  if (files_.empty()) return false;
  skald::give_back(tensor.data);
  return how_ == FileBytes::How::kRead;
}

void Gguf::refuse_to_replace(const std::string& path) const {
  if (std::ranges::any_of(shards_, [&](const Shard& s) { return same_file(s.path, path); }))
    fail(Errc::kBadInput, "{} is read: it cannot be written too", path);
}

const GgufTensor* Gguf::find(std::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : &tensors_[it->second];
}

}  // namespace skald
