#include "tools/report/vocab_file.h"

#include "base/error.h"
#include "base/meta_overrides.h"
#include "convert/conversion.h"
#include "io/gguf.h"
#include "io/printable.h"
#include "loading/embedded.h"

namespace skald {
namespace {

// Gives the result of `use` for the metadata with the overrides.
template <class F>
auto with_metadata(const std::string& path, const LoadOptions& options, F&& use) {
  const MetaOverrides overrides(options.override_kv);
  const auto used = [&](Meta& meta) {
    overrides.apply(meta);
    return overrides.reading([&] { return use(meta); });
  };
  if (path.empty()) return used(Gguf::parse(embedded_model()).meta());
  if (is_hf_directory(path)) {
    Conversion conversion(HfDirectory(path), {});
    return doing(path, [&] { return used(conversion.meta()); });
  }
  Gguf gguf = Gguf::open(path, options.mmap ? FileBytes::How::kMap : FileBytes::How::kRead);  // its errors name the file
  return doing(path, [&] { return used(gguf.meta()); });
}

}  // namespace

std::unique_ptr<Tokenizer> load_tokenizer(const std::string& path, const LoadOptions& options) {
  return with_metadata(path, options, [](const Meta& meta) { return Tokenizer::create(meta); });
}

Meta load_metadata(const std::string& path, const LoadOptions& options) {
  return with_metadata(path, options, [](Meta& meta) { return std::move(meta); });
}

std::string token_table(const Tokenizer& tokenizer, std::span<const TokenId> ids) {
  std::string out;
  for (TokenId id : ids) out += fmt::format("{:7}  {}\n", id, skald::quoted(tokenizer.piece_bytes(id)));
  return out;
}

}  // namespace skald
