#include "tools/quantize/split.h"

#include <iterator>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "io/gguf.h"
#include "io/gguf_format.h"
#include "io/gguf_split.h"
#include "tools/quantize/shard_writer.h"

namespace skald {
namespace {

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
  check_shard_count(out.size());
  const gguf::ShardName name{prefix, 1, std::ssize(out)};
  for (size_t i = 0; i < out.size(); ++i) out[i].path = name.path(static_cast<int64_t>(i + 1));
  return out;
}

// Copies tensors as they lie.
class Copy {
 public:
  Copy(const Gguf& file, const OnProgress& on_progress) : file_(file), on_progress_(on_progress) {
    for (const GgufTensor& t : file.tensors()) bytes_ += static_cast<int64_t>(t.data.size());
  }
  int64_t bytes() const { return bytes_; }

  void add(GgufWriter& writer, const GgufTensor& t) {
    writer.add_tensor(t.name, t.shape, t.type->id, [this, &t](const TakeBytes& take) {
      take(t.data);
      file_.give_back(t);
      written_ += static_cast<int64_t>(t.data.size());
      if (on_progress_) on_progress_(written_, bytes_);
    });
  }

 private:
  const Gguf& file_;
  const OnProgress& on_progress_;
  int64_t bytes_ = 0, written_ = 0;
};

}  // namespace

std::vector<PlannedShard> plan_split(const std::string& in, const std::string& prefix, const SplitOptions& options) {
  return plan(Gguf::open(in, FileBytes::How::kMap), prefix, options);
}

std::vector<PlannedShard> split_file(const std::string& in, const std::string& prefix, const SplitOptions& options,
                                     const OnProgress& on_progress) {
  const Gguf file = Gguf::open(in, FileBytes::How::kMap);
  std::vector<PlannedShard> shards = plan(file, prefix, options);
  for (const PlannedShard& shard : shards) file.refuse_to_replace(shard.path);
  Copy copy(file, on_progress);
  ShardWriter out(prefix, shards.size(), file.meta(), file.tensors().size());
  for (const PlannedShard& shard : shards) {
    GgufWriter writer;
    for (size_t i = shard.first; i < shard.first + shard.tensors; ++i) copy.add(writer, file.tensors()[i]);
    out.write(std::move(writer));
  }
  out.commit();
  return shards;
}

MergedFile merge_files(const std::string& in, const std::string& out, const OnProgress& on_progress) {
  if (!gguf::parse_shard_name(in))
    fail(Errc::kBadInput, "{}: its name is not that of a shard, as in {}", in, (gguf::ShardName{"x", 1, 3}.path(1)));
  const Gguf file = Gguf::open(in, FileBytes::How::kMap);
  file.refuse_to_replace(out);
  Copy copy(file, on_progress);
  GgufWriter writer;
  writer.meta = file.meta();
  for (const GgufTensor& t : file.tensors()) copy.add(writer, t);
  writer.write(out);
  return {.shards = std::ssize(file.shards()), .tensors = std::ssize(file.tensors()), .bytes = copy.bytes()};
}

}  // namespace skald
