// Gguf: opening a file or all shards of one, and finding tensors.
#include "io/gguf.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/paging.h"
#include "io/gguf_format.h"
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

// One of a model's files, opened first; its metadata says whether there are others.
struct Opened {
  FileBytes file;
  gguf::File parsed;
};

// How files are read: one after another, and how much of all is done.
class Reading {
 public:
  Reading(const std::string& path, FileBytes::How how, const OnProgress& on_progress)
      : how_(how), on_progress_(on_progress) {
    if (how == FileBytes::How::kRead && on_progress) total_ = bytes_of_shards(path);
  }

  FileBytes open(const std::string& path) {
    FileBytes out = FileBytes::open(path, how_, [this](int64_t done, int64_t) {
      if (on_progress_) on_progress_(done_ + done, total_);
    });
    done_ += static_cast<int64_t>(out.bytes().size());
    return out;
  }

 private:
  // Of those that there are; for a file that is no shard its own.
  static int64_t bytes_of_shards(const std::string& path) {
    const std::optional<gguf::ShardName> name = gguf::parse_shard_name(path);
    std::error_code missing;
    const auto size = [&](const std::string& file) {
      const uintmax_t bytes = std::filesystem::file_size(file, missing);
      return missing ? 0 : static_cast<int64_t>(bytes);
    };
    if (!name) return size(path);
    int64_t sum = 0;
    for (int64_t i = 1; i <= name->count; ++i) sum += size(name->path(i));
    return sum;
  }

  FileBytes::How how_;
  const OnProgress& on_progress_;
  int64_t done_ = 0, total_ = 0;
};

// `who` asks for it, for errors.
Opened open_one(const std::string& path, Reading& reading, const std::string& who = {}) {
  FileBytes file = who.empty() ? reading.open(path) : doing(who, [&] { return reading.open(path); });
  gguf::File parsed = doing(path, [&] { return gguf::parse(file.bytes()); });
  return {std::move(file), std::move(parsed)};
}

// The shard that a file is. A whole model may be named as if it were one: the key split.count decides, and without it
// whether there are others.
std::optional<gguf::ShardName> shard_of(const std::string& path, const Meta& meta) {
  std::optional<gguf::ShardName> name = gguf::parse_shard_name(path);
  if (!name) return {};
  if (meta.peek(gguf::kSplitCount)) {
    if (meta.i64(gguf::kSplitCount) <= 1) name.reset();
    return name;
  }
  for (int64_t i = 1; i <= name->count; ++i)
    if (i != name->number && std::filesystem::exists(name->path(i))) return name;
  return {};
}

Shards open_shards(const std::string& path, const gguf::ShardName& name, Opened given, Reading& reading) {
  if (name.number < 1 || name.number > name.count)
    fail(Errc::kBadFile, "{}: its name says shard {} of {}", path, name.number, name.count);
  const auto open = [&](int64_t i) {
    if (i == name.number) return std::move(given);
    return open_one(name.path(i), reading, fmt::format("{}: shard {} of {}", path, i, name.count));
  };
  Shards out;
  int64_t tensors = 0;
  for (int64_t i = 1; i <= name.count; ++i) {
    Opened shard = open(i);
    doing(name.path(i), [&] { gguf::check_shard(shard.parsed.meta, i, name.count); });
    tensors += static_cast<int64_t>(shard.parsed.tensors.size());
    out.files.push_back(std::move(shard.file));
    out.parsed.push_back(std::move(shard.parsed));
  }
  for (int64_t i = 1; i <= name.count; ++i) {
    const Meta& meta = out.parsed[static_cast<size_t>(i - 1)].meta;
    doing(name.path(i), [&] { gguf::check_tensor_count(meta, i, tensors); });
  }
  return out;
}

Shards open_single(const std::string& path, Opened given) {
  doing(path, [&] { gguf::refuse_lone_shard(given.parsed.meta); });
  Shards out;
  out.files.push_back(std::move(given.file));
  out.parsed.push_back(std::move(given.parsed));
  return out;
}

}  // namespace

Gguf Gguf::open(const std::string& path, FileBytes::How how, const OnProgress& on_progress) {
  Reading reading(path, how, on_progress);
  Opened given = open_one(path, reading);
  const auto name = shard_of(path, given.parsed.meta);
  Shards shards = name ? open_shards(path, *name, std::move(given), reading) : open_single(path, std::move(given));
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
