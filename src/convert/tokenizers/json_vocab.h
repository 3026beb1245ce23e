// Shared by the kinds of tokenizer.json (and vocab.json): pieces as {"piece": id}, and merges.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "convert/json_node.h"
#include "convert/tokenizers/piece_table.h"

namespace skald {

using Merge = std::pair<std::string, std::string>;

/// Adds all pieces of an object as ordinary ones.
void add_pieces(const JsonNode& vocab, PieceTable& pieces);

/// Reads the merges of an array, of ["a", "b"] or "a b". Throws kBadFile for one that has other than two parts.
std::vector<Merge> read_merges(const JsonNode& list);

/// Reads the merges of a file merges.txt: a line each, after one that begins with "#version".
std::vector<Merge> parse_merges(std::string_view text, const std::string& name);

/// Throws kBadFile naming the first merge of which a part or the result is no piece of `vocab`.
void check_merges(const std::vector<Merge>& merges, const JsonNode& vocab);

/// As GGUF has them: "a b". A space in a part becomes the character that spells its byte.
std::vector<std::string> merge_lines(const std::vector<Merge>& merges);

}  // namespace skald
