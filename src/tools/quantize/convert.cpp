#include "tools/quantize/convert.h"

#include <optional>
#include <vector>

#include "base/cpu_features.h"
#include "io/gguf.h"
#include "loading/calibration.h"

namespace skald {
namespace {

ModelMark mark_of(const Conversion& conversion, ThreadPool& pool) {
  ModelMark mark;
  for (const Conversion::Tensor& t : conversion.tensors()) {
    if (!ModelMark::counts(t.name, t.desc.shape, t.desc.format)) continue;
    std::vector<std::byte> data;
    conversion.give(t, pool, [&](std::span<const std::byte> piece) { data.insert(data.end(), piece.begin(), piece.end()); });
    mark.add(t.name, data);
  }
  return mark;
}

std::optional<Gguf> calibration_of(const Conversion& conversion, const std::string& path, ThreadPool& pool) {
  if (path.empty()) return std::nullopt;
  Gguf file = open_calibration(path);
  want_same_model(file, path, mark_of(conversion, pool));
  return file;
}

}  // namespace

ConvertedFile convert_file(const std::string& directory, const std::string& out, const ConvertOptions& options, int threads,
                           const std::string& calibration, const OnProgress& on_progress) {
  const Conversion conversion(HfDirectory(directory), options);
  ThreadPool pool(threads ? threads : usable_cpus());
  const std::optional<Gguf> bases = calibration_of(conversion, calibration, pool);
  int64_t done = 0;
  GgufWriter writer;
  writer.meta = conversion.meta();
  for (const Conversion::Tensor& t : conversion.tensors())
    writer.add_tensor(t.name, t.desc.shape, t.desc.format->id, [&](const TakeBytes& take) {
      conversion.give(t, pool, [&](std::span<const std::byte> piece) {
        take(piece);
        done += static_cast<int64_t>(piece.size());
        if (on_progress) on_progress(done, conversion.bytes());
      });
    });
  if (bases)
    for (const GgufTensor& t : bases->tensors()) writer.add_tensor(t.name, t.shape, t.type->id, t.data);
  writer.write(out);
  const int64_t added = bases ? std::ssize(bases->tensors()) : 0;
  return {std::ssize(conversion.tensors()) + added, writer.data_bytes()};
}

}  // namespace skald
