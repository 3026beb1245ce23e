// The tokenizer of a model file, without its weights: files that hold a vocabulary only are enough.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "skald/model.h"
#include "text/tokenizer.h"

namespace skald {

/// Of the embedded model for an empty path, and of a Hugging Face folder, with the options' overrides. Throws Error naming
/// the file.
std::unique_ptr<Tokenizer> load_tokenizer(const std::string& path, const LoadOptions& options = {});

/// Reads the metadata of the file's header, with the options' overrides; as above, weights are not needed.
Meta load_metadata(const std::string& path, const LoadOptions& options = {});

/// One line per token: its id and the bytes it stands for, made safe to show.
std::string token_table(const Tokenizer& tokenizer, std::span<const TokenId> ids);

}  // namespace skald
