// Prompts of requests: texts, token ids, lists of either, and mixtures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "serve/fields/fields.h"
#include "serve/models/served_model.h"

namespace skald::serve {

/// Limits the prompts of one request.
inline constexpr size_t kMostPrompts = 64;

/// A list of strings is several prompts, a list with ids is one; so are their members in a list of lists. Texts' special
/// tokens are recognised; the first part of a prompt gets what the vocabulary puts in front. Throws ApiError (400) naming
/// `key`, for more than `most` too, and for prompts that leave no room for an answer.
std::vector<std::vector<TokenId>> read_prompts(const Fields& fields, std::string_view key, ServedModel& model, size_t most);

/// The tokens of a text, or of a list of texts and ids: as they stand, without special tokens, maybe none. Throws ApiError
/// (400) naming `path`.
std::vector<TokenId> read_part(const Json& json, const std::string& path, ServedModel& model);

/// Ids within the vocabulary. Throws ApiError (400) naming `path`.
std::vector<TokenId> read_ids(const Json& json, const std::string& path, int64_t n_vocab);

}  // namespace skald::serve
