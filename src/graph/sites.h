// Sites: the weights of a graph that adapters can change, by the names that adapters have for them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "graph/graph.h"

namespace skald {

/// The table of tokens, and the output matrix, which an adapter names apart even where the table is both.
inline constexpr const char* kTokenTable = "token_embd.weight";
inline constexpr const char* kOutputMatrix = "output.weight";

/// Returns the name by which adapters know a weight of the node; empty where its input `i` is none that they can change. A
/// token table that is the output matrix too is "output.weight" there.
std::string site_name(const Graph& graph, const Node& node, size_t i);

struct Site {
  Shape shape;         // ([experts,] n, k), of the weight
  bool table = false;  // rows are picked by tokens
};

/// Returns all of them.
std::map<std::string, Site> sites_of(const Graph& graph);

}  // namespace skald
