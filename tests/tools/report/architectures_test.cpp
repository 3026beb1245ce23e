#include "tools/report/architectures.h"

#include <gtest/gtest.h>

#include "models/family.h"

namespace skald {
namespace {

TEST(Architectures, EveryFamilySaysWhatItIsAndHowItWasVerified) {
  const Table table = architectures();
  EXPECT_EQ(table.rows.size(), families().size());
  for (const std::vector<std::string>& row : table.rows) {
    ASSERT_EQ(row.size(), table.header.size());
    for (const std::string& cell : row) EXPECT_FALSE(cell.empty()) << row[0];
  }
}

}  // namespace
}  // namespace skald
