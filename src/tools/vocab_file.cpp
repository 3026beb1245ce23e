#include "tools/vocab_file.h"

#include "base/error.h"
#include "convert/conversion.h"
#include "engine/embedded.h"
#include "io/gguf.h"
#include "io/printable.h"

namespace skald {

std::unique_ptr<Tokenizer> load_tokenizer(const std::string& path, bool mmap) {
  if (path.empty()) return Tokenizer::create(Gguf::parse(embedded_model()).meta());
  if (is_hf_directory(path)) return Tokenizer::create(Conversion(HfDirectory(path), {}).meta());
  const Gguf gguf = Gguf::open(path, mmap ? FileBytes::How::kMap : FileBytes::How::kRead);  // its errors name the file
  return doing(path, [&] { return Tokenizer::create(gguf.meta()); });
}

std::string token_table(const Tokenizer& tokenizer, std::span<const TokenId> ids) {
  std::string out;
  for (TokenId id : ids) out += fmt::format("{:7}  {}\n", id, skald::quoted(tokenizer.piece_bytes(id)));
  return out;
}

}  // namespace skald
