#include "tools/quantize/convert.h"

#include "base/cpu_features.h"
#include "io/gguf.h"

namespace skald {

ConvertedFile convert_file(const std::string& directory, const std::string& out, const ConvertOptions& options, int threads,
                           const OnProgress& on_progress) {
  const Conversion conversion(HfDirectory(directory), options);
  ThreadPool pool(threads ? threads : usable_cpus());
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
  writer.write(out);
  return {static_cast<int64_t>(conversion.tensors().size()), conversion.bytes()};
}

}  // namespace skald
