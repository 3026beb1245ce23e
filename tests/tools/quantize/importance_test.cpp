// Importance of tensors: which weights of a matrix are used.
#include "tools/quantize/importance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/errors.h"

namespace skald {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Names = std::vector<std::string>;

Names chosen(const Names& include, const Names& exclude) {
  Imatrix matrix;
  for (const char* name : {"blk.0.attn_q.weight", "blk.0.attn_v.weight", "blk.0.ffn_up.weight", "output.weight"})
    matrix.entries[name] = {{1}, {1}};
  choose_weights(matrix, include, exclude);
  Names out;
  for (const auto& named : matrix.entries) out.push_back(named.first);
  return out;
}

TEST(ChooseWeights, LeavesAllUnlessToldOtherwise) { EXPECT_EQ(chosen({}, {}).size(), 4u); }

TEST(ChooseWeights, KeepsThoseWhoseNamesHoldOneOfTheTexts) {
  EXPECT_THAT(chosen({"attn_v", "output"}, {}), ElementsAre("blk.0.attn_v.weight", "output.weight"));
  EXPECT_EQ(chosen({"weight"}, {}).size(), 4u);
}

TEST(ChooseWeights, DropsThoseWhoseNamesHoldOneOfTheTexts) {
  EXPECT_THAT(chosen({}, {"attn", "output"}), ElementsAre("blk.0.ffn_up.weight"));
  EXPECT_THAT(chosen({}, {"weight"}), ElementsAre());
  EXPECT_EQ(chosen({}, {"ssm"}).size(), 4u) << "what is not there is not used either";
}

TEST(ChooseWeights, NamesATextThatIsInNoName) {
  const Error e = test::error_of([] { chosen({"attn_v", "attn_x"}, {}); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_THAT(e.what(), HasSubstr("'attn_x'"));
}

}  // namespace
}  // namespace skald
