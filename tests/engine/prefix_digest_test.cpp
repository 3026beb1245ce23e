// Beginnings of prompts as hashes: what is told, to whom, and that it is what the tree of pages has.
#include "engine/prefix_digest.h"

#include <gtest/gtest.h>

#include "engine/prefix_index.h"
#include "tests/engine/some_tokens.h"

namespace skald::prefix_digest_test {
namespace {

using test::some;
using test::Tokens;
using test::operator+;

const Sha256Sum kModel = sha256({});

Sha256Sum key_of(int n) { return sha256({std::as_bytes(std::span(&n, 1))}); }

TEST(PrefixHashes, OfPromptsThatBeginAlikeBeginAlike) {
  const Tokens text = some(300, 1);
  const Sha256Sum root = digest_root(kModel, "pa:");
  const std::vector<PrefixHash> all = prefix_hashes(root, text);
  ASSERT_EQ(all.size(), 4u);
  Tokens other = text;
  other[130] ^= 1;
  const std::vector<PrefixHash> hashes = prefix_hashes(root, other);
  EXPECT_EQ(hashes[1], all[1]);
  EXPECT_NE(hashes[2], all[2]);
  EXPECT_NE(hashes[3], all[3]) << "a page's name has those before it";
}

TEST(PrefixHashes, OfAnotherScopeOrModelAreOthers) {
  const Tokens text = some(64, 1);
  const PrefixHash own = prefix_hashes(digest_root(kModel, prefix_space("a:", false)), text)[0];
  EXPECT_NE(own, prefix_hashes(digest_root(kModel, prefix_space("b:", false)), text)[0]);
  EXPECT_NE(own, prefix_hashes(digest_root(kModel, prefix_space("a:", true)), text)[0]);
  EXPECT_NE(own, prefix_hashes(digest_root(key_of(1), prefix_space("a:", false)), text)[0]);
}

TEST(PrefixDigest, TellsAnOwnerOfItsScopesAlone) {
  PrefixDigest digest;
  digest.add("pa:", key_of(1), 1);
  digest.add("pa:salt", key_of(2), 1);
  digest.add("pab:", key_of(3), 1);
  EXPECT_EQ(digest.list("a:", 10).size(), 2u);
  EXPECT_EQ(digest.list("ab:", 10), std::vector{prefix_hash(key_of(3))});
  EXPECT_TRUE(digest.has("a:", prefix_hash(key_of(2))));
  EXPECT_FALSE(digest.has("a:", prefix_hash(key_of(3))));
  EXPECT_EQ(digest.pages("pa:", std::vector{prefix_hash(key_of(2))}), 0) << "another salt";
}

TEST(PrefixDigest, LeavesOutLaterPagesWhereThereAreMany) {
  PrefixDigest digest;
  for (int page = 10; page > 0; --page) digest.add("pa:", key_of(page), page);
  EXPECT_EQ(digest.list("a:", 2), (std::vector{prefix_hash(key_of(1)), prefix_hash(key_of(2))}));
}

TEST(PrefixDigest, CountsAPageOnceForEachEngineThatHasIt) {
  PrefixDigest digest;
  digest.add("pa:", key_of(1), 1);
  digest.add("pa:", key_of(1), 1);
  digest.remove("pa:", key_of(1));
  EXPECT_TRUE(digest.has("a:", prefix_hash(key_of(1))));
  digest.remove("pa:", key_of(1));
  EXPECT_FALSE(digest.has("a:", prefix_hash(key_of(1))));
  digest.remove("pa:", key_of(1));  // harmless
}

/// A tree of pages that reports to a digest.
class Reporting {
 public:
  explicit Reporting(AttentionState state)
      : cache_(make_kv_spec({state}, {}, 2000), {.max_keys = 2000, .n_sequences = 4, .rollback = 64}),
        index(cache_, {.to = digest, .model = kModel}) {}

  void read(const Tokens& prompt) {
    KvSequence kv(cache_);
    ASSERT_TRUE(kv.reserve(std::ssize(prompt)));
    kv.set_length(std::ssize(prompt));
    index.insert({.scope = "a:"}, prompt, kv);
  }
  int64_t told(const Tokens& prompt) const {
    const std::string space = prefix_space("a:", false);
    return digest->pages(space, prefix_hashes(digest_root(kModel, space), prompt));
  }

  std::shared_ptr<PrefixDigest> digest = std::make_shared<PrefixDigest>();

 private:
  KvCache cache_;

 public:
  PrefixIndex index;
};

TEST(PrefixDigest, HasThePagesOfTheTreeUntilTheyAreEvicted) {
  Reporting all({.n_kv_heads = 1, .d_k = 2, .d_v = 2});
  const Tokens text = some(256, 1);
  EXPECT_EQ(all.told(text), 0);
  all.read(text);
  EXPECT_EQ(all.told(text), 4);
  EXPECT_EQ(all.told(Tokens(text.begin(), text.begin() + 128) + some(100, 2)), 2);
  EXPECT_TRUE(all.index.evict_some());
  EXPECT_EQ(all.told(text), 3);
  while (all.index.evict_some()) {
  }
  EXPECT_TRUE(all.digest->list("", 10).empty());
}

TEST(PrefixDigest, HasTheCheckpointsAloneOfModelsThatForget) {
  Reporting window({.n_kv_heads = 1, .d_k = 2, .d_v = 2, .window = 100});
  const Tokens text = some(256, 1);
  window.read(text);
  EXPECT_EQ(window.told(text), 4);
  EXPECT_EQ(window.told(Tokens(text.begin(), text.begin() + 192)), 0) << "no hit can end there";
  window.index.drop_checkpoint({.scope = "a:"}, text);
  EXPECT_EQ(window.told(text), 0);
}

}  // namespace
}  // namespace skald::prefix_digest_test
