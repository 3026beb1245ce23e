#include "tools/vocab_file.h"

#include "base/error.h"
#include "engine/embedded.h"
#include "io/gguf.h"

namespace skald {

std::unique_ptr<Tokenizer> load_tokenizer(const std::string& path, bool mmap) {
  if (path.empty()) return Tokenizer::create(Gguf::parse(embedded_model()).meta());
  return doing("loading " + path,
               [&] { return Tokenizer::create(Gguf::open(path, mmap ? FileBytes::How::kMap : FileBytes::How::kRead).meta()); });
}

}  // namespace skald
