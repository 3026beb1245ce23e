#include "tools/quantize/convert.h"

#include "base/cpu_features.h"
#include "io/gguf.h"

namespace skald {

ConvertedFile convert_file(const std::string& directory, const std::string& out, const ConvertOptions& options, int threads,
                           const std::function<void(double)>& progress) {
  const Conversion conversion(HfDirectory(directory), options);
  ThreadPool pool(threads ? threads : usable_cpus());
  const auto all = static_cast<double>(conversion.bytes());
  int64_t done = 0;
  GgufWriter writer;
  writer.meta = conversion.meta();
  for (const Conversion::Tensor& t : conversion.tensors())
    writer.add_tensor(t.name, t.desc.shape, t.desc.format->id, [&](const TakeBytes& take) {
      conversion.give(t, pool, [&](std::span<const std::byte> piece) {
        take(piece);
        done += static_cast<int64_t>(piece.size());
        if (progress) progress(static_cast<double>(done) / all);
      });
    });
  writer.write(out);
  return {static_cast<int64_t>(conversion.tensors().size()), conversion.bytes()};
}

}  // namespace skald
