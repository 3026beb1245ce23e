#include "kv/page_origin.h"

#include <gtest/gtest.h>

namespace skald {
namespace {

using Keys = ReusePolicy::Keys;

TEST(PageOrigin, RemembersWhichKeysWereGenerated) {
  PageOrigin page;
  page.add(0, 10, {});
  page.add(10, 12, {.generated = true, .policy = 7});
  page.add(12, 64, {});
  EXPECT_EQ(page.generated, uint64_t{0b11} << 10);
  EXPECT_EQ((ReusePolicy{Keys::kPrompt}.taken(page, 64)), 10);
  EXPECT_EQ((ReusePolicy{Keys::kPrompt}.taken(page, 5)), 5);
  EXPECT_EQ((ReusePolicy{Keys::kSamePolicy, 7}.taken(page, 64)), 64);
  EXPECT_EQ((ReusePolicy{Keys::kSamePolicy, 8}.taken(page, 64)), 10);
  EXPECT_EQ((ReusePolicy{Keys::kAll}.taken(page, 64)), 64);
}

TEST(PageOrigin, ForgetsWhatIsWrittenOver) {
  PageOrigin page;
  page.add(0, 64, {.generated = true, .policy = 1});
  page.add(3, 64, {});
  EXPECT_EQ(page.generated, uint64_t{0b111});
  page.add(0, 64, {});
  EXPECT_EQ(page.generated, 0u);
}

TEST(PageOrigin, OfTwoPoliciesIsNeithers) {
  PageOrigin page;
  page.add(0, 1, {.generated = true, .policy = 1});
  page.add(1, 2, {.generated = true, .policy = 2});
  EXPECT_EQ((ReusePolicy{Keys::kSamePolicy, 1}.taken(page, 2)), 0);
  EXPECT_EQ((ReusePolicy{Keys::kSamePolicy, 2}.taken(page, 2)), 0);
  page.add(0, 2, {.generated = true, .policy = 2});
  EXPECT_EQ((ReusePolicy{Keys::kSamePolicy, 2}.taken(page, 2)), 2);
}

TEST(PageOrigin, KeysOfDraftsAreTakenByNoPolicy) {
  PageOrigin page;
  page.add(0, 64, {});
  page.add(20, 24, {.generated = true, .policy = 3, .draft = true});
  for (const ReusePolicy& policy : {ReusePolicy{Keys::kAll}, ReusePolicy{Keys::kSamePolicy, 3}, ReusePolicy{}})
    EXPECT_EQ(policy.taken(page, 24), 20);
  page.add(20, 24, {.generated = true, .policy = 3});
  EXPECT_EQ((ReusePolicy{Keys::kAll}.taken(page, 24)), 24);
}

TEST(PageOrigin, WithADroppedPastIsNobodyElses) {
  PageOrigin page;
  page.after_drop = true;
  EXPECT_EQ((ReusePolicy{Keys::kAll}.taken(page, 64)), 0);
}

}  // namespace
}  // namespace skald
