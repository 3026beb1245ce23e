// Importance matrices in llama.cpp's files: how large the inputs were that each column of a weight met.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace skald {

struct Imatrix {
  /// Of one weight tensor; experts are its matrices.
  struct Entry {
    std::vector<float> sums;      // (matrices, columns): squares of the inputs, summed over rows
    std::vector<int64_t> counts;  // (matrices), or one for all: rows in each sum

    /// Returns the mean squares (matrices, columns), which quantising weighs errors by; 1 for matrices that met no row.
    std::vector<float> means() const;
  };

  std::map<std::string, Entry> entries;  // by the weight's name: "blk.0.ffn_up.weight"
  std::vector<std::string> datasets;     // texts that it was made from
  int64_t chunk_count = 0;               // most rows of an entry, in chunks
  int64_t chunk_size = 0;                // tokens; 0: unknown, and counts are of chunks, as in .dat files
};

/// The two forms of the file: GGUF, and the one before 2025 (which ik_llama.cpp reads): means only, one count per entry.
enum class ImatrixFormat { kGguf, kDat };

/// Either form, told apart by content. Throws kNotFound, or kBadFile naming the fault: sizes that do not fit, values that
/// are no sums of squares, a GGUF file that is something else.
Imatrix read_imatrix(const std::string& path);
/// The same of a file's bytes.
Imatrix parse_imatrix(std::span<const std::byte> bytes);

/// The file appears when it is complete. Throws kBadInput for .dat without a chunk size and for sizes beyond its limits, and
/// as OutputFile. Entries that met no row are left out of .dat files.
void write_imatrix(const Imatrix& imatrix, const std::string& path, ImatrixFormat format);

}  // namespace skald
