#include "skald/model.h"

#include <filesystem>

#include "base/error.h"
#include "convert/hf_directory.h"
#include "loading/embedded.h"
#include "loading/loaded_model.h"
#include "loading/sampling_defaults.h"
#include "text/dry_breakers.h"
#include "text/tokenizer.h"

namespace skald {

Model Model::load(const std::string& path, const LoadOptions& options) {
  if (is_hf_directory(path)) return Model(LoadedModel::from_directory(path, options));  // its errors name the folder
  const FileBytes::How how = options.mmap ? FileBytes::How::kMap : FileBytes::How::kRead;
  Gguf gguf = Gguf::open(path, how, options.on_progress);  // its errors name the file
  return doing(path, [&] {
    return Model(LoadedModel::from_gguf(std::move(gguf), std::filesystem::path(path).stem().string(), options));
  });
}

Model Model::embedded(const LoadOptions& options) {
  return doing("loading the embedded model",
               [&] { return Model(LoadedModel::from_gguf(Gguf::parse(embedded_model()), "skald-tiny", options)); });
}

std::vector<TokenId> Model::tokenize(std::string_view text, EncodeOptions options) const {
  return loaded_->tokenizer().encode(text, options);
}

std::vector<TokenId> Model::tokenize(std::span<const TextPiece> pieces, EncodeOptions options) const {
  return loaded_->tokenizer().encode(pieces, options);
}

std::string Model::detokenize(std::span<const TokenId> ids, bool special) const {
  return loaded_->tokenizer().decode(ids, special);
}

SamplingParams Model::sampling_defaults() const { return read_sampling_defaults(loaded_->meta()).params; }
std::string Model::described_sampling_defaults() const { return read_sampling_defaults(loaded_->meta()).described; }

std::vector<std::vector<TokenId>> Model::dry_breakers(std::span<const std::string> texts) const {
  std::vector<std::vector<TokenId>> out;
  for (const std::string& text : texts)
    for (auto& sequence : skald::dry_breakers(loaded_->tokenizer(), text)) out.push_back(std::move(sequence));
  return out;
}

std::string Model::name() const { return loaded_->name(); }
std::string Model::architecture() const { return loaded_->arch(); }
int64_t Model::n_vocab() const { return loaded_->n_vocab(); }
int64_t Model::n_ctx_train() const { return loaded_->n_ctx_train(); }

}  // namespace skald
