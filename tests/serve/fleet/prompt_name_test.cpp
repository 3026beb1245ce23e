// Names of prompts: by their first pages, for a model, a key and a salt.
#include "serve/fleet/prompt_name.h"

#include <gtest/gtest.h>

#include "kernels/api/kv_page.h"

namespace skald::serve::prompt_name_test {
namespace {

TEST(PrefixText, HasSixteenDigitsAndNoOthersAreRead) {
  EXPECT_EQ(prefix_text(10), "000000000000000a");
  EXPECT_EQ(prefix_of("000000000000000a"), PrefixHash{10});
  for (const char* text : {"", "a", "000000000000000g", "00000000000000000a", "-00000000000000a", "0x0000000000000a"})
    EXPECT_FALSE(prefix_of(text).has_value()) << text;
}

class PromptNames : public ::testing::Test {
 protected:
  // A prompt of n ids, of which all after the first `same` are those of `other`.
  static GenerationRequest asking(int64_t n, int64_t same = 1 << 20, TokenId other = 7) {
    GenerationRequest out;
    out.prompts.emplace_back();
    for (int64_t i = 0; i < n; ++i) out.prompts[0].push_back(i < same ? static_cast<TokenId>(5 + i % 40) : other);
    out.request.scope = "owner:";
    return out;
  }
  PromptName name(const GenerationRequest& what) { return name_prompt(what, model, options); }

  ServeOptions options = {.engine = {.device = {.n_threads = 1}}, .n_ctx = 256};
  ServedModel model = ServedModel("", "", options);
};

TEST_F(PromptNames, AreThoseOfTheFirstPages) {
  const PrefixHash four = name(asking(4 * kPageKeys)).prefix;
  EXPECT_EQ(name(asking(6 * kPageKeys, 4 * kPageKeys)).prefix, four) << "later pages do not count";
  EXPECT_NE(name(asking(6 * kPageKeys, 4 * kPageKeys - 1)).prefix, four);
  EXPECT_NE(name(asking(3 * kPageKeys)).prefix, four);
  options.route_pages = 3;
  EXPECT_EQ(name(asking(4 * kPageKeys)).prefix, name(asking(3 * kPageKeys)).prefix);
}

TEST_F(PromptNames, AreThoseOfAllTokensBelowAPage) {
  EXPECT_NE(name(asking(10)).prefix, name(asking(11)).prefix);
  EXPECT_EQ(name(asking(kPageKeys)).prefix, name(asking(kPageKeys + 10)).prefix) << "the rest of a page does not count";
}

TEST_F(PromptNames, DifferByScope) {
  GenerationRequest other = asking(100);
  other.request.scope = "another:";
  EXPECT_NE(name(asking(100)).prefix, name(other).prefix);
}

TEST_F(PromptNames, HaveThePagesThatARequestCanTake) {
  EXPECT_EQ(name(asking(2 * kPageKeys)).hashes.size(), 1u) << "the last token is computed";
  EXPECT_EQ(name(asking(2 * kPageKeys + 1)).hashes.size(), 2u);
  GenerationRequest alone = asking(200);
  alone.request.cache_prompt = false;
  EXPECT_TRUE(name(alone).hashes.empty());
}

}  // namespace
}  // namespace skald::serve::prompt_name_test
