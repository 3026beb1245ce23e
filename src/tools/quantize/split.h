// Model files in shards, by the names and keys of llama.cpp's gguf-split: cutting one up, and joining them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "skald/types.h"

namespace skald {

struct SplitOptions {
  int64_t max_tensors = 128;           // in a shard
  int64_t max_bytes = 0;               // of a shard's tensors, but one tensor may be larger; 0: max_tensors counts
  bool no_tensor_first_split = false;  // the first shard holds the metadata only
};

struct PlannedShard {
  std::string path;
  size_t first = 0, tensors = 0;  // of the model's, in the file's order
  int64_t bytes = 0;              // of their data, padded
};

/// Plans the files of a splitting: "<prefix>-00001-of-00003.gguf" and so on. Throws kBadInput where it makes more shards
/// than their keys can count, and as Gguf::open.
std::vector<PlannedShard> plan_split(const std::string& in, const std::string& prefix, const SplitOptions& options);

/// Writes them, in the memory of no more than the metadata; `on_progress` may throw to end it.
/// All shards are complete before the first one has its name. Throws kBadInput where they would replace the input, and as
/// plan_split() and OutputFile.
std::vector<PlannedShard> split_file(const std::string& in, const std::string& prefix, const SplitOptions& options,
                                     const OnProgress& on_progress);

struct MergedFile {
  int64_t shards = 0, tensors = 0, bytes = 0;
};

/// Joins the shards of which `in` is one. Throws kBadInput for a file that is none.
MergedFile merge_files(const std::string& in, const std::string& out, const OnProgress& on_progress);

}  // namespace skald
