// Pairs of texts in the words of a template, for rerankers made of chat models: "Query: {query} Document: {document}".
#pragma once

#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace skald {

/// Encodes the template with the texts in place of {query} and {document}. Only the template's words may become control
/// tokens. The vocabulary's tokens around texts are left to the template.
std::vector<TokenId> encode_pair(const Tokenizer& tokenizer, std::string_view words, std::string_view query,
                                 std::string_view document);

}  // namespace skald
