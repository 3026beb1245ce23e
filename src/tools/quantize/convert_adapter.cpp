#include "tools/quantize/convert_adapter.h"

#include <filesystem>
#include <memory>
#include <utility>

#include "adapters/gguf_adapter.h"
#include "convert/conversion.h"
#include "convert/hf_directory.h"
#include "convert/peft_adapter.h"
#include "io/gguf.h"
#include "loading/load_adapter.h"
#include "loading/loaded_model.h"

namespace skald {
namespace {

// Its weights have types and shapes only.
std::shared_ptr<const LoadedModel> outline_of_folder(const std::string& path) {
  const Conversion conversion(HfDirectory(path), {.need_tokenizer = false});
  WeightSet weights;
  for (const Conversion::Tensor& t : conversion.tensors())
    weights.weights.emplace(t.name,
                            WeightSet::Weight{find_gguf_type(t.desc.format->id), t.desc.shape, nullptr, t.desc.bytes()});
  return LoadedModel::from_memory(conversion.meta(), std::move(weights), {});
}

std::shared_ptr<const LoadedModel> outline_of(const std::string& path) {
  if (is_hf_directory(path)) return outline_of_folder(path);
  return LoadedModel::from_gguf(Gguf::open(path, FileBytes::How::kMap), path);
}

}  // namespace

bool is_adapter_folder(const std::string& path, bool meant) {
  std::error_code ignored;
  return is_peft_folder(path) && (meant || !std::filesystem::exists(std::filesystem::path(path) / "config.json", ignored));
}

ConvertedFile convert_adapter(const std::string& folder, const std::string& base, const std::string& out,
                              const std::string& type) {
  const std::shared_ptr<const Adapter> adapter = load_adapter(*outline_of(base), folder);
  write_gguf_adapter(*adapter, out, type);
  const Gguf written = Gguf::open(out, FileBytes::How::kMap);
  int64_t bytes = 0;
  for (const GgufTensor& t : written.tensors()) bytes += std::ssize(t.data);
  return {std::ssize(written.tensors()), bytes};
}

}  // namespace skald
