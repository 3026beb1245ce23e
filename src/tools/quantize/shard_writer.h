// ShardWriter: a model in shards that appear under their names only when all of them are complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/meta.h"
#include "io/gguf.h"
#include "io/gguf_split.h"
#include "io/output_file.h"

namespace skald {

/// Throws kBadInput for more shards than their keys can count.
void check_shard_count(size_t count);

class ShardWriter {
 public:
  /// Of `count` shards, "<prefix>-00001-of-00003.gguf" and so on, that have `tensors` tensors together. The first one has
  /// the model's metadata, the others the keys by which they are read. Throws as check_shard_count().
  ShardWriter(std::string prefix, size_t count, Meta meta, size_t tensors);

  /// Writes the next shard to the disk: the tensors of `writer`, whose metadata is set here. Throws as GgufWriter::write()
  /// and OutputFile.
  void write(GgufWriter writer);

  /// Gives the shards, all of which must be written, their names. Without it nothing is left.
  void commit();

 private:
  Meta next_meta() const;

  gguf::ShardName name_;
  Meta meta_;
  size_t tensors_;
  std::vector<std::unique_ptr<OutputFile>> written_;
};

}  // namespace skald
