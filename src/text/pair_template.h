// Pairs of texts in the words of a template: what rerankers made of chat models want, as "Query: {query} Document:
// {document}".
#pragma once

#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace skald {

/// The tokens of the template with the texts in place of {query} and {document}, which may become control tokens in the
/// template's words only. What the vocabulary puts around texts is left to the template.
std::vector<TokenId> encode_pair(const Tokenizer& tokenizer, std::string_view words, std::string_view query,
                                 std::string_view document);

}  // namespace skald
