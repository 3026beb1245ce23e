// exchange_columns: of a value whose columns ranks have in parts, other parts of it or all of it.
// Inputs: x (rows, this rank's columns of the cut `from`) -> (rows, its columns of the cut `to`).
#pragma once

#include <string>
#include <vector>

#include "graph/op.h"

namespace skald {

class ColumnExchange {
 public:
  /// Of `columns` of the whole value, in cuts of which an empty one says that each rank has all; as `rank` does it.
  ColumnExchange(int64_t columns, const Cut& from, const Cut& to, size_t rank);

  int64_t columns() const { return columns_; }
  int64_t columns_in() const { return in_; }    // that this rank has
  int64_t columns_out() const { return out_; }  // and then has
  size_t rank() const { return rank_; }
  /// The columns of the input that go to a rank, and those of the output that come from it, in the order in which they are
  /// sent; of this rank itself, those that stay. No rank: what there is is here already.
  struct Peer {
    Slices sent, received;
  };
  const std::vector<Peer>& peers() const { return peers_; }

 private:
  int64_t columns_, in_, out_;
  size_t rank_;
  std::vector<Peer> peers_;
};

struct ExchangeColumns {
  const ColumnExchange* plan = nullptr;  // the graph's (Graph::plans)
  std::string describe() const;
  friend bool operator==(const ExchangeColumns&, const ExchangeColumns&) = default;
};

extern const OpDef op_exchange_columns;

}  // namespace skald
