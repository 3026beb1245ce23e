// The graph of the embedded model as a Graphviz file.
#include "tools/report/graph_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "skald/model.h"
#include "tests/support/errors.h"
#include "tests/support/temp_dir.h"

namespace skald {
namespace {

TEST(WriteGraph, WritesADigraphWithEveryLayer) {
  const test::TempDir dir;
  const GraphSummary s = write_graph(*Model::embedded().loaded(), 4, {}, dir.path("g.dot"));
  std::stringstream dot;
  dot << std::ifstream(dir.path("g.dot")).rdbuf();
  EXPECT_THAT(dot.str(),
              testing::AllOf(testing::StartsWith("digraph"), testing::HasSubstr("skald-tiny"), testing::HasSubstr("blk.0."),
                             testing::HasSubstr("blk.1."), testing::EndsWith("}\n")));
  EXPECT_GT(s.n_nodes, 56) << "more than the weights";
  EXPECT_GT(s.arena_bytes, 0);
  EXPECT_LT(s.arena_bytes, s.total_bytes);
}

TEST(WriteGraph, NamesThePathThatCannotBeWritten) {
  const Error e = test::error_of([] { write_graph(*Model::embedded().loaded(), 1, {}, "/nonexistent/g.dot"); });
  EXPECT_THAT(e.what(), testing::HasSubstr("/nonexistent/g.dot"));
}

}  // namespace
}  // namespace skald
