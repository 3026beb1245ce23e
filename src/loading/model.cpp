#include "skald/model.h"

#include <filesystem>

#include "base/error.h"
#include "convert/hf_directory.h"
#include "loading/embedded.h"
#include "loading/loaded_model.h"
#include "text/tokenizer.h"

namespace skald {

Model Model::load(const std::string& path, const LoadOptions& options) {
  if (is_hf_directory(path)) return Model(LoadedModel::from_directory(path, options));        // its errors name the folder
  Gguf gguf = Gguf::open(path, options.mmap ? FileBytes::How::kMap : FileBytes::How::kRead);  // its errors name the file
  return doing(path, [&] {
    return Model(LoadedModel::from_gguf(std::move(gguf), std::filesystem::path(path).stem().string(), options));
  });
}

Model Model::embedded(const LoadOptions& options) {
  return doing("loading the embedded model",
               [&] { return Model(LoadedModel::from_gguf(Gguf::parse(embedded_model()), "skald-tiny", options)); });
}

std::vector<TokenId> Model::tokenize(std::string_view text, bool add_special) const {
  return loaded_->tokenizer().encode(text, {.add_special = add_special});
}

std::string Model::detokenize(std::span<const TokenId> ids) const { return loaded_->tokenizer().decode(ids); }

std::string Model::name() const { return loaded_->name(); }
std::string Model::architecture() const { return loaded_->arch(); }
int64_t Model::n_vocab() const { return loaded_->n_vocab(); }
int64_t Model::n_ctx_train() const { return loaded_->n_ctx_train(); }

}  // namespace skald
