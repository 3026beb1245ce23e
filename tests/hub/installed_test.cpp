// Models in the cache are found by name, and removed without touching files that others need.
#include "hub/installed.h"

#include <gtest/gtest.h>

#include "hub/file_lock.h"
#include "hub/remove.h"
#include "tests/hub/cached_repo.h"
#include "tests/support/errors.h"

namespace skald::installed_test {
namespace {

namespace fs = std::filesystem;
using test::kCommitA, test::kCommitB;

const MemoryRule kMuch{.memory = 1 << 30};

std::string found(const test::CachedRepo& t, const char* name, const MemoryRule& memory = kMuch) {
  return fs::path(find_installed(t.cache, name, memory))
      .lexically_relative(t.cache.repo_folder(t.repo) + "/snapshots")
      .string();
}

std::vector<std::string> names(const test::CachedRepo& t) {
  std::vector<std::string> out;
  for (const InstalledModel& m : installed_models(t.cache))
    out.push_back(m.name.text() + (m.complete ? "" : " begun") + (m.ours ? "" : " theirs"));
  return out;
}

using Names = std::vector<std::string>;

TEST(InstalledModels, AreAllOfAllRepositories) {
  const test::CachedRepo t;
  t.add(kCommitA, "m-Q8_0.gguf", "8");
  t.add(kCommitA, "s-Q4_K_M-00001-of-00002.gguf", "4a");
  t.add(kCommitA, "s-Q4_K_M-00002-of-00002.gguf", "4b");
  t.add(kCommitA, "mmproj-F16.gguf", "p");
  t.add(kCommitB, "m-Q2_K.gguf", "2", /*ours=*/false);
  t.cache.set_ref(t.repo, "main", kCommitB);
  EXPECT_EQ(names(t), (Names{"u/r:Q2_K theirs", "u/r:Q4_K_M", "u/r:Q8_0"}));
  const auto all = installed_models(t.cache, t.repo);
  EXPECT_EQ(all[0].refs, (Names{"main"}));
  EXPECT_EQ(all[1].model.files.size(), 2u);
}

TEST(InstalledModels, AreFoldersOfSafetensorsToo) {
  const test::CachedRepo t;
  for (const char* file : {"config.json", "model.safetensors", "tokenizer.json", "sub/other.safetensors"})
    t.add(kCommitA, file, file, /*ours=*/false);
  EXPECT_EQ(names(t), (Names{"u/r:safetensors theirs"}));
  const InstalledModel m = installed_models(t.cache, t.repo).front();
  EXPECT_EQ(m.path, t.cache.snapshot(t.repo, kCommitA));
  EXPECT_EQ(m.model.files.size(), 3u);
  for (const char* name : {"u/r", "r", "u/r:safetensors", "r:safetensors"}) EXPECT_EQ(found(t, name), kCommitA);
  EXPECT_THROW(found(t, "u/r:Q8_0"), Error);
}

TEST(InstalledModels, OfAFolderWithGgufFilesAreThoseUnlessItIsNamed) {
  const test::CachedRepo t;
  for (const char* file : {"config.json", "model.safetensors", "m-Q8_0.gguf"}) t.add(kCommitA, file, file, /*ours=*/false);
  EXPECT_EQ(names(t), (Names{"u/r:Q8_0 theirs", "u/r:safetensors theirs"}));
  EXPECT_EQ(found(t, "u/r"), kCommitA + "/m-Q8_0.gguf");
  EXPECT_EQ(found(t, "u/r:safetensors"), kCommitA);
}

TEST(InstalledModels, AreNoFoldersWithoutWeightsOrConfiguration) {
  const test::CachedRepo t;
  t.add(kCommitA, "config.json", "{}", /*ours=*/false);
  t.add(kCommitB, "model.safetensors", "w", /*ours=*/false);
  EXPECT_EQ(names(t), Names{});
}

TEST(InstalledModels, AreNotWholeWithoutAShardOfAFolder) {
  const test::CachedRepo t;
  for (const char* file : {"config.json", "model-00001-of-00002.safetensors"}) t.add(kCommitA, file, file, /*ours=*/false);
  EXPECT_EQ(names(t), (Names{"u/r:safetensors begun theirs"}));
  EXPECT_THROW(found(t, "u/r"), Error);
  t.add(kCommitA, "model-00002-of-00002.safetensors", "2", /*ours=*/false);
  EXPECT_EQ(found(t, "u/r"), kCommitA);
}

TEST(InstalledModels, OfFoldersStayWhenTheRestIsRemoved) {
  const test::CachedRepo t;
  t.add(kCommitA, "m-Q8_0.gguf", "8");
  for (const char* file : {"config.json", "model.safetensors"}) t.add(kCommitA, file, file, /*ours=*/false);
  const Removal removal = plan_removal(t.cache, "u/r");
  EXPECT_EQ(removal.models.size(), 1u);
  EXPECT_EQ(removal.left.size(), 1u);
  remove(t.cache, removal);
  EXPECT_EQ(found(t, "u/r"), kCommitA);
}

// A folder of PEFT, with a card that another program got.
void add_adapter(const test::CachedRepo& t, const std::string& commit) {
  t.add(commit, "adapter_config.json", R"({"base_model_name_or_path": "acme/one"})");
  t.add(commit, "adapter_model.safetensors", "weights");
  t.add(commit, "README.md", "card", /*ours=*/false);
}

TEST(InstalledAdapters, AreFoundByNameWhereOneIsWanted) {
  const test::CachedRepo t;
  add_adapter(t, kCommitA);
  EXPECT_EQ(names(t), (Names{"u/r"}));
  EXPECT_EQ(installed_models(t.cache).front().model.adapter->base, "acme/one");
  for (const char* name : {"u/r", "r", "u/r:safetensors"}) {
    for (const Wanted wanted : {Wanted::kAdapter, Wanted::kEither})
      EXPECT_EQ(find_installed(t.cache, name, kMuch, wanted), t.cache.snapshot(t.repo, kCommitA)) << name;
    const Error e = test::error_of([&] { found(t, name); });
    EXPECT_EQ(e.code(), Errc::kBadFile);
    EXPECT_NE(std::string(e.what()).find("-m acme/one --lora u/r"), std::string::npos) << e.what();
  }
}

TEST(InstalledAdapters, AreNoModelsOfTheSameRepository) {
  const test::CachedRepo t;
  add_adapter(t, kCommitA);
  t.add(kCommitA, "m-Q8_0.gguf", "8");
  EXPECT_EQ(names(t), (Names{"u/r:Q8_0", "u/r:safetensors"}));
  EXPECT_EQ(found(t, "u/r"), kCommitA + "/m-Q8_0.gguf");
  EXPECT_EQ(find_installed(t.cache, "u/r", kMuch, Wanted::kAdapter), t.cache.snapshot(t.repo, kCommitA));
  EXPECT_EQ(test::error_of([&] { find_installed(t.cache, "u/r:Q8_0", kMuch, Wanted::kAdapter); }).code(), Errc::kBadFile);
}

TEST(InstalledAdapters, WithAModelInTheirFolderAreThatModel) {
  const test::CachedRepo t;
  add_adapter(t, kCommitA);
  t.add(kCommitA, "config.json", "{}", /*ours=*/false);
  EXPECT_TRUE(installed_models(t.cache).front().model.adapter);
  t.add(kCommitA, "model.safetensors", "w", /*ours=*/false);
  ASSERT_EQ(names(t), (Names{"u/r:safetensors theirs"}));
  EXPECT_FALSE(installed_models(t.cache).front().model.adapter);
}

TEST(InstalledAdapters, AreRemovedWithoutTheFilesOfOthers) {
  const test::CachedRepo t;
  add_adapter(t, kCommitA);
  remove(t.cache, plan_removal(t.cache, "r"));
  EXPECT_EQ(names(t), Names{});
  EXPECT_TRUE(t.has("models--u--r/snapshots/" + kCommitA + "/README.md"));
  EXPECT_FALSE(t.has("models--u--r/snapshots/" + kCommitA + "/adapter_config.json"));
}

TEST(InstalledAdapters, OfOtherProgramsStay) {
  const test::CachedRepo t;
  for (const char* file : {"adapter_config.json", "adapter_model.safetensors"}) t.add(kCommitA, file, file, /*ours=*/false);
  EXPECT_EQ(names(t), (Names{"u/r theirs"}));
  EXPECT_TRUE(plan_removal(t.cache, "u/r").models.empty());
}

TEST(InstalledModels, SayWhatWasBegun) {
  const test::CachedRepo t;
  t.add(kCommitA, "s-Q4_0-00001-of-00002.gguf", "4a");
  add_to_record(t.cache, t.repo, kCommitA, {{"s-Q4_0-00002-of-00002.gguf", 9, std::string(64, 'c')}});
  EXPECT_EQ(names(t), (Names{"u/r:Q4_0 begun"}));
  const Error e = test::error_of([&] { found(t, "u/r:Q4_0"); });
  EXPECT_EQ(e.code(), Errc::kNotFound);
  EXPECT_NE(std::string(e.what()).find("pull it again"), std::string::npos);
}

TEST(FindInstalled, TakesNamesWithAndWithoutUserAndTag) {
  const test::CachedRepo t;
  t.add(kCommitA, "m-Q8_0.gguf", "88888888");
  t.add(kCommitA, "sub/m-Q4_K_M.gguf", "4444");
  const std::string q4 = kCommitA + "/sub/m-Q4_K_M.gguf", q8 = kCommitA + "/m-Q8_0.gguf";
  for (const char* name : {"u/r", "r", "u/r:q4_k_m", "r:Q4_K_M", "u/r/sub/m-Q4_K_M.gguf"})
    EXPECT_EQ(found(t, name), q4) << name;
  for (const char* name : {"u/r:Q8_0", "r:Q8_0", "u/r/m-Q8_0.gguf"}) EXPECT_EQ(found(t, name), q8) << name;
  for (const char* name : {"x/r", "u/x", "x", "u/r:Q2_K", "r:Q2_K", "u/r/x.gguf", "no name", "r:", ""})
    EXPECT_EQ(test::error_of([&] { found(t, name); }).code(), Errc::kNotFound) << name;
  EXPECT_EQ(test::error_of([&] { found(t, "u/r", {.memory = 2}); }).code(), Errc::kNoMemory);
}

TEST(FindInstalled, PrefersWhatMainIs) {
  const test::CachedRepo t;
  t.add(kCommitA, "m-Q8_0.gguf", "old");
  t.add(kCommitB, "m-Q8_0.gguf", "new");
  for (const std::string& commit : {kCommitA, kCommitB}) {
    t.cache.set_ref(t.repo, "main", commit);
    EXPECT_EQ(found(t, "u/r"), commit + "/m-Q8_0.gguf");
  }
  t.add(kCommitA, "m-Q2_K.gguf", "only there");
  EXPECT_EQ(found(t, "u/r:Q2_K"), kCommitA + "/m-Q2_K.gguf");
  EXPECT_EQ(find_installed(t.cache, parse_hub_name("u/r:Q2_K"), kCommitA, kMuch),
            t.cache.snapshot(t.repo, kCommitA) + "/m-Q2_K.gguf");
  EXPECT_EQ(test::error_of([&] { find_installed(t.cache, parse_hub_name("u/r:Q2_K"), "main", kMuch); }).code(),
            Errc::kNotFound);
}

TEST(FindInstalled, WantsAUserWhereTwoHaveIt) {
  test::CachedRepo t;
  t.add(kCommitA, "m-Q8_0.gguf", "a");
  t.repo = {"v", "r"};
  t.add(kCommitA, "m-Q8_0.gguf", "b");
  const Error e = test::error_of([&] { found(t, "r"); });
  EXPECT_NE(std::string(e.what()).find("both u/r and v/r"), std::string::npos) << e.what();
}

TEST(Removal, TakesLinksAndContentsThatNoOtherLinkHas) {
  const test::CachedRepo t;
  const HubFile shared = t.add(kCommitA, "m-Q8_0.gguf", "88888888"), other = t.add(kCommitA, "m-Q4_0.gguf", "44");
  t.add(kCommitB, "theirs-Q8_0.gguf", "88888888", /*ours=*/false);
  t.cache.set_ref(t.repo, "main", kCommitA);
  const Removal one = plan_removal(t.cache, "u/r:Q4_0");
  EXPECT_EQ(one.models.size(), 1u);
  EXPECT_EQ(one.bytes, 2);
  remove(t.cache, one);
  EXPECT_FALSE(t.has_blob(other));
  const Removal rest = plan_removal(t.cache, "r");
  EXPECT_EQ(rest.models.size(), 1u);
  EXPECT_EQ(rest.left.size(), 1u);
  EXPECT_EQ(rest.bytes, 0);
  remove(t.cache, rest);
  EXPECT_TRUE(t.has_blob(shared));
  EXPECT_EQ(names(t), (Names{"u/r:Q8_0 theirs"}));
  EXPECT_FALSE(t.has("models--u--r/snapshots/" + kCommitA));
  EXPECT_TRUE(t.cache.refs(t.repo).empty());  // the commit that main was has no snapshot any more
}

TEST(Removal, OfTheLastModelTakesTheRepository) {
  const test::CachedRepo t;
  const HubFile begun{"m-Q2_K.gguf", 9, std::string(64, 'c')};
  t.add(kCommitA, "sub/m-Q8_0.gguf", "88888888");
  add_to_record(t.cache, t.repo, kCommitA, {begun});
  std::ofstream(t.cache.incomplete(t.repo, begun.blob)) << "123";
  t.cache.set_ref(t.repo, "main", kCommitA);
  const Removal all = plan_removal(t.cache, "u/r");
  EXPECT_EQ(all.bytes, 11);
  remove(t.cache, all);
  EXPECT_FALSE(t.has("models--u--r"));
  EXPECT_EQ(test::error_of([&] { plan_removal(t.cache, "u/r"); }).code(), Errc::kNotFound);
}

TEST(Removal, LeavesOtherFilesOfASnapshotAndContentsAtWork) {
  const test::CachedRepo t;
  const HubFile config = t.add(kCommitA, "config.json", "{}", /*ours=*/false), model = t.add(kCommitA, "m-Q8_0.gguf", "88");
  t.cache.set_ref(t.repo, "main", kCommitA);
  const FileLock lock(t.cache.lock(t.repo, model.blob), {});
  remove(t.cache, plan_removal(t.cache, "u/r"));
  EXPECT_TRUE(t.has_blob(config));
  EXPECT_TRUE(t.has_blob(model));  // its holder is about to link to it
  EXPECT_TRUE(t.has("models--u--r/snapshots/" + kCommitA + "/config.json"));
  EXPECT_FALSE(t.has("models--u--r/snapshots/" + kCommitA + "/m-Q8_0.gguf"));
  EXPECT_EQ(t.cache.ref(t.repo, "main"), kCommitA);
}

TEST(Record, PassesOverLinesOfOtherPrograms) {
  const test::CachedRepo t;
  const HubFile file = t.add(kCommitA, "a b.gguf", "x");
  std::ofstream(t.cache.record(t.repo, kCommitA), std::ios::app) << "nonsense\n"
                                                                 << std::string(64, 'd') << " 5 ../../../escape\n"
                                                                 << file.blob << " x y.gguf\n";
  const auto files = read_record(t.cache, t.repo, kCommitA);
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].path, "a b.gguf");
  EXPECT_EQ(files[0].size, 1);
}

TEST(MemoryRule, AsksForTheFileOnlyWhereItMatters) {
  int asked = 0;
  const auto beginning = [&] {
    ++asked;
    return std::string("head");
  };
  const MemoryRule rule{.memory = 1300, .cache_bytes = [](std::string_view head) { return head == "head" ? 600 : 0; }};
  EXPECT_TRUE(rule.fits(100, beginning));
  EXPECT_FALSE(rule.fits(1300, beginning));
  EXPECT_EQ(asked, 0);
  EXPECT_TRUE(rule.fits(700, beginning));
  EXPECT_FALSE(rule.fits(701, beginning));
  EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace skald::installed_test
