// The cache's folders are huggingface_hub's.
#include "hub/cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include "hub/download.h"
#include "hub/file_lock.h"
#include "hub/incomplete_file.h"
#include "tests/hub/cached_repo.h"
#include "tests/support/errors.h"

namespace skald::cache_test {
namespace {

namespace fs = std::filesystem;
using test::kCommitA, test::kCommitB;

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(HubCache, HasTheFoldersOfHuggingfaceHub) {
  const test::CachedRepo t;
  const HubFile file = t.add(kCommitA, "sub/m.gguf", "content");
  const fs::path link = fs::path(t.cache.snapshot(t.repo, kCommitA)) / "sub/m.gguf";
  EXPECT_EQ(link, t.dir.path("hub/models--u--r/snapshots/" + kCommitA + "/sub/m.gguf"));
  EXPECT_EQ(fs::read_symlink(link), "../../../blobs/" + file.blob);
  EXPECT_EQ(fs::file_size(link), 7u);
  EXPECT_EQ(t.cache.lock(t.repo, file.blob), t.dir.path("hub/.locks/models--u--r/" + file.blob + ".lock"));
}

TEST(HubCache, KnowsFoldersOfRepositories) {
  for (const HubRepo& repo : {HubRepo{"u", "r"}, HubRepo{"", "gpt2"}, HubRepo{"a-b.c", "d_e"}})
    EXPECT_EQ(repo_of_folder(folder_name(repo)), repo);
  for (const char* name :
       {"datasets--u--r", "models--", "models----r", "models--u--r--x", "models--..--r", "u--r", ".locks"})
    EXPECT_EQ(repo_of_folder(name), std::nullopt) << name;
}

TEST(HubCache, RemembersWhatABranchWas) {
  const test::CachedRepo t;
  EXPECT_EQ(t.cache.ref(t.repo, "main"), std::nullopt);
  EXPECT_EQ(t.cache.ref(t.repo, kCommitB), kCommitB);
  t.cache.set_ref(t.repo, "main", kCommitA);
  t.cache.set_ref(t.repo, "refs/pr/1", kCommitB);
  t.cache.set_ref(t.repo, kCommitB, kCommitB);  // a commit needs none
  EXPECT_EQ(t.cache.ref(t.repo, "main"), kCommitA);
  using Refs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(t.cache.refs(t.repo), (Refs{{"main", kCommitA}, {"refs/pr/1", kCommitB}}));
  std::ofstream(t.cache.repo_folder(t.repo) + "/refs/main") << "../../etc";
  EXPECT_EQ(t.cache.ref(t.repo, "main"), std::nullopt);
}

TEST(HubCache, ListsFilesWhoseContentIsThere) {
  const test::CachedRepo t;
  const HubFile a = t.add(kCommitA, "a.gguf", "aa"), b = t.add(kCommitA, "sub/b.gguf", "bbb");
  t.add(kCommitA, "config.json", "{}");
  const HubFile gone = t.add(kCommitA, "gone.gguf", "x");
  fs::remove(t.cache.blob(t.repo, gone.blob));
  fs::create_directory_symlink(".", t.cache.snapshot(t.repo, kCommitA) + "/loop");
  const auto files = t.cache.files(t.repo, kCommitA);
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].path, "a.gguf");
  EXPECT_EQ(files[0].blob, a.blob);
  EXPECT_EQ(files[1].path, "sub/b.gguf");
  EXPECT_EQ(files[1].size, b.size);
}

TEST(HubCache, LinksAnewWhereTheContentIsAnother) {
  const test::CachedRepo t;
  t.add(kCommitA, "a.gguf", "old");
  const HubFile file = t.add(kCommitA, "a.gguf", "new one");
  EXPECT_EQ(fs::read_symlink(t.cache.snapshot(t.repo, kCommitA) + "/a.gguf"), "../../blobs/" + file.blob);
}

TEST(FileLock, IsOneOfFlockAndStays) {
  const test::TempDir dir;
  const std::string path = dir.path("x/y.lock");
  {
    const FileLock lock(path, {});
    EXPECT_TRUE(FileLock::is_held(path));
    const int fd = ::open(path.c_str(), O_RDWR);
    EXPECT_NE(::flock(fd, LOCK_EX | LOCK_NB), 0);
    ::close(fd);
    int waits = 0;
    EXPECT_THROW(FileLock(path,
                          [&] {
                            if (++waits == 3) throw Error(Errc::kDevice, "enough");
                          }),
                 Error);
    EXPECT_EQ(waits, 3);
  }
  EXPECT_FALSE(FileLock::is_held(path));
  EXPECT_TRUE(fs::exists(path));
  EXPECT_FALSE(FileLock::is_held(dir.path("none")));
}

class Incomplete : public testing::Test {
 protected:
  static constexpr std::string_view kText = "some text that comes in pieces";
  static std::string sum(std::string_view text) {
    Hasher hasher(std::string(64, '0'), 0);
    hasher.add(bytes(text));
    return hasher.finish();
  }
  const test::TempDir dir_;
  const std::string path_ = dir_.path("x.incomplete"), blob_ = sum(kText);
};

TEST_F(Incomplete, GoesOnWhereItEnded) {
  {
    IncompleteFile file(path_, kText.size(), blob_, {});
    file.write(bytes(kText.substr(0, 10)));
  }
  int64_t read = 0;
  IncompleteFile file(path_, kText.size(), blob_, [&](int64_t n) { read = n; });
  EXPECT_EQ(read, 10);
  EXPECT_EQ(file.length(), 10);
  file.write(bytes(kText.substr(10)));
  EXPECT_TRUE(file.is_whole());
  EXPECT_TRUE(file.has_sum());
  file.commit(dir_.path("x"));
  EXPECT_FALSE(fs::exists(path_));
  EXPECT_EQ(fs::file_size(dir_.path("x")), kText.size());
}

TEST_F(Incomplete, SeesAWrongBeginningAndTakesNoMoreThanThereIs) {
  dir_.write("x.incomplete", "SOME");
  IncompleteFile file(path_, kText.size(), blob_, {});
  file.write(bytes(kText.substr(4)));
  EXPECT_EQ(test::error_of([&] { file.write(bytes("x")); }).code(), Errc::kBadFile);
  EXPECT_FALSE(file.has_sum());
  file.remove();
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(Incomplete, DropsWhatIsTooLongAndFollowsNoLink) {
  dir_.write("x.incomplete", std::string(100, 'x'));
  EXPECT_EQ(IncompleteFile(path_, kText.size(), blob_, {}).length(), 0);
  fs::remove(path_);
  fs::create_symlink(dir_.write("precious", "data"), path_);
  EXPECT_EQ(test::error_of([&] { IncompleteFile(path_, kText.size(), blob_, {}); }).code(), Errc::kDevice);
  EXPECT_EQ(fs::file_size(dir_.path("precious")), 4u);
}

TEST(Hasher, GivesGitsSumsAndSha256) {
  Hasher git(std::string(40, '0'), 6), sha(std::string(64, '0'), 0);
  git.add(bytes("hel"));
  git.add(bytes("lo\n"));
  sha.add(bytes("abc"));
  EXPECT_EQ(git.finish(), "ce013625030ba8dba906f756967f9e9ca394464a");  // git hash-object of "hello\n"
  EXPECT_EQ(sha.finish(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");  // FIPS 180-4
}

TEST(MissingBytes, AreWhatIsNotThereYet) {
  const test::CachedRepo t;
  const HubFile there = t.add(kCommitA, "a.gguf", "aa");
  EXPECT_EQ(missing_bytes(t.cache, t.repo, there), 0);
  const HubFile file{"b.gguf", 10, std::string(64, 'b')};
  EXPECT_EQ(missing_bytes(t.cache, t.repo, file), 10);
  std::ofstream(t.cache.incomplete(t.repo, file.blob)) << "1234";
  EXPECT_EQ(missing_bytes(t.cache, t.repo, file), 6);
}

TEST(DiskSpace, IsCheckedOfTheFolderThatIsThere) {
  const test::TempDir dir;
  EXPECT_NO_THROW(check_disk_space(dir.path("not/there/yet"), 1));
  const Error e = test::error_of([&] { check_disk_space(dir.path("not/there/yet"), int64_t{1} << 60); });
  EXPECT_EQ(e.code(), Errc::kDevice);
  EXPECT_NE(std::string(e.what()).find("no space"), std::string::npos);
}

}  // namespace
}  // namespace skald::cache_test
