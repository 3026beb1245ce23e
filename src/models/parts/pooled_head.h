// The layers of files after the pooled states of a text: a classifier, or dense layers of an embedding.
#pragma once

#include "graph/net.h"
#include "models/family.h"

namespace skald {

/// Scores of pooled states (texts, d_model): cls.output(norm(f(cls(x)))), of which files may have the last layer only:
/// -> (texts, labels).
Tensor score_head(Net& net, Tensor x, const ScoreHead& head);

/// Builds the vector that a model was trained to give, by the layers dense_2 and dense_3 of Sentence Transformers, where the
/// file has them. Pooled states (texts, d_model) -> (texts, n).
Tensor dense_head(Net& net, Tensor x);

}  // namespace skald
