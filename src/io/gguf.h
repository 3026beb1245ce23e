// GGUF v2 and v3: strict reader over mapped or read files, and a writer. Spec: ggml/docs/gguf.md of llama.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/mapped_file.h"
#include "base/meta.h"
#include "tensor/format.h"
#include "tensor/shape.h"

namespace skald {

class OutputFile;
struct PanelLayout;

/// A row of GGUF's table of tensor types, with more types than the engine computes with; or our own panels.
struct GgufType {
  uint32_t id;
  std::string_view name;  // "q4_k"
  int64_t block;          // elements per block
  int64_t block_bytes;    // 0 for panels
  const PanelLayout* panels = nullptr;
};

/// Returns nullptr for numbers that neither the format nor Skald (quant/panels.h) defines, and for those withdrawn.
const GgufType* find_gguf_type(uint32_t id);

/// Returns the engine's format for the rows of a tensor type; nullptr where it has none (the file can be listed but not
/// computed with).
const Format* format_of(const GgufType& type);

struct GgufTensor {
  std::string name;
  Shape shape;  // row-major: the file's first dimension is the last one here
  const GgufType* type;
  std::span<const std::byte> data;  // into the file's bytes
};

/// A parsed model file (all of its shards). Owns the bytes that the tensors point into.
class Gguf {
 public:
  /// A file that open() read.
  struct Shard {
    std::string path;
    size_t tensors;
  };

  /// Opens `path`; for a shard name ("x-00001-of-00003.gguf") opens all of its siblings too and joins them. The metadata is
  /// the first shard's without the keys split.*, so that it describes the whole.
  /// Any inconsistency is an Error naming the file and the key or tensor. `on_progress` is called for kRead only: of all
  /// files together.
  static Gguf open(const std::string& path, FileBytes::How how, const OnProgress& on_progress = {});

  /// Parses a whole unsplit file that the caller keeps alive (the embedded model, fuzzers).
  static Gguf parse(std::span<const std::byte> bytes);

  Gguf(Gguf&&) noexcept = default;
  Gguf& operator=(Gguf&&) noexcept = default;

  uint32_t version() const { return version_; }
  const Meta& meta() const { return meta_; }
  /// For changes by the owner of the file, before others read it; the tensors stay as they were found.
  Meta& meta() { return meta_; }
  const std::vector<GgufTensor>& tensors() const { return tensors_; }
  /// Returns nullptr when there is none.
  const GgufTensor* find(std::string_view name) const;
  /// Returns the bytes of all shards together.
  int64_t file_bytes() const { return file_bytes_; }
  /// Tells whether the tensors' data lie in mapped files, or in the caller's memory after parse().
  bool is_mapped() const { return how_ == FileBytes::How::kMap; }
  /// Returns the files that open() read, in the order of their tensors; one where the model is not split, none after
  /// parse().
  const std::vector<Shard>& shards() const { return shards_; }
  /// Throws kBadInput where `path` is one of these files, by any name: it cannot be replaced while it is read.
  void refuse_to_replace(const std::string& path) const;

  /// Gives the memory of a tensor's data back to the system if open() made it. No thread may read that data afterwards if
  /// the file was read; if it is mapped, the data comes back. Returns whether the data is gone.
  bool give_back(const GgufTensor& tensor) const;

 private:
  Gguf() = default;

  uint32_t version_ = 0;
  int64_t file_bytes_ = 0;
  Meta meta_;
  std::vector<GgufTensor> tensors_;
  std::unordered_map<std::string_view, size_t> by_name_;  // keys are the names in tensors_, which moves keep in place
  FileBytes::How how_ = FileBytes::How::kMap;
  std::vector<FileBytes> files_;  // empty after parse()
  std::vector<Shard> shards_;     // of the files
};

/// Takes a tensor's data in pieces, in order.
using TakeBytes = std::function<void(std::span<const std::byte>)>;
/// Hands a tensor's data to `take`, for tensors that never lie in memory as a whole.
using GiveBytes = std::function<void(const TakeBytes& take)>;

/// Writes GGUF v3: add everything, then write once. The file appears under its name only when it is complete.
class GgufWriter {
 public:
  /// Written in this order. The key general.alignment, when it is there, is obeyed.
  Meta meta;

  /// `data` must stay alive until write(). Throws kBadInput for a name that is empty or taken, an unknown type, and a shape
  /// that does not fit the type or the data.
  void add_tensor(std::string name, Shape shape, uint32_t type, std::span<const std::byte> data);
  /// The same for data that `give` makes while the file is written: as many bytes as shape and type say. Its exceptions, and
  /// kInternal for another number of bytes, end the writing.
  void add_tensor(std::string name, Shape shape, uint32_t type, GiveBytes give);

  /// Returns the bytes of all tensors' data.
  int64_t data_bytes() const;

  /// Throws kBadInput for metadata that no reader would take and for a whole model under a shard's name. Throws kNotFound
  /// when the folder does not exist, kDevice when the system refuses (disk full, no permission). After an error `path` is as
  /// it was before.
  void write(const std::string& path) const;
  /// Likewise, to a file that the caller commits.
  void write(OutputFile& file) const;

  /// A tensor to be written.
  struct Entry {
    std::string name;
    Shape shape;
    const GgufType* type;
    int64_t bytes;
    GiveBytes give;
  };

 private:
  void add(std::string name, const Shape& shape, uint32_t type, std::optional<int64_t> given, GiveBytes give);

  std::vector<Entry> tensors_;
  std::unordered_set<std::string> names_;
};

}  // namespace skald
