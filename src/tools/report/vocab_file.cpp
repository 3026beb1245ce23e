#include "tools/report/vocab_file.h"

#include "base/error.h"
#include "base/meta_overrides.h"
#include "convert/conversion.h"
#include "io/gguf.h"
#include "io/printable.h"
#include "loading/embedded.h"

namespace skald {
namespace {

std::unique_ptr<Tokenizer> tokenizer_of(Meta& meta, const MetaOverrides& overrides) {
  overrides.apply(meta);
  return overrides.reading([&] { return Tokenizer::create(meta); });
}

}  // namespace

std::unique_ptr<Tokenizer> load_tokenizer(const std::string& path, const LoadOptions& options) {
  const MetaOverrides overrides(options.override_kv);
  if (path.empty()) return tokenizer_of(Gguf::parse(embedded_model()).meta(), overrides);
  if (is_hf_directory(path)) {
    Conversion conversion(HfDirectory(path), {});
    return doing(path, [&] { return tokenizer_of(conversion.meta(), overrides); });
  }
  Gguf gguf = Gguf::open(path, options.mmap ? FileBytes::How::kMap : FileBytes::How::kRead);  // its errors name the file
  return doing(path, [&] { return tokenizer_of(gguf.meta(), overrides); });
}

std::string token_table(const Tokenizer& tokenizer, std::span<const TokenId> ids) {
  std::string out;
  for (TokenId id : ids) out += fmt::format("{:7}  {}\n", id, skald::quoted(tokenizer.piece_bytes(id)));
  return out;
}

}  // namespace skald
