// A file appears complete or not at all.
#include "io/output_file.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/mapped_file.h"
#include "tests/support/errors.h"
#include "tests/support/temp_dir.h"

namespace skald {
namespace {

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string content(const std::string& path) {
  const FileBytes file = FileBytes::open(path, FileBytes::How::kRead);
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST(OutputFile, AppearsWhenItIsCommitted) {
  const test::TempDir dir;
  OutputFile file(dir.path("f"));
  file.write(bytes("one "));
  file.write(bytes("two"));
  EXPECT_EQ(test::error_of([&] { content(dir.path("f")); }).code(), Errc::kNotFound);
  file.commit();
  EXPECT_EQ(content(dir.path("f")), "one two");
  EXPECT_EQ(dir.files(), 1u);
}

TEST(OutputFile, LeavesNothingWithoutCommit) {
  const test::TempDir dir;
  {
    OutputFile file(dir.path("f"));
    file.write(bytes("half"));
    EXPECT_EQ(dir.files(), 1u);
  }
  EXPECT_EQ(dir.files(), 0u);
}

TEST(OutputFile, ThatIsFinishedHasNoNameYet) {
  const test::TempDir dir;
  {
    OutputFile a(dir.path("a")), b(dir.path("b"));
    a.write(bytes("one"));
    b.write(bytes("two"));
    a.finish();
    b.finish();
    EXPECT_EQ(test::error_of([&] { content(dir.path("a")); }).code(), Errc::kNotFound);
    a.commit();
  }
  EXPECT_EQ(content(dir.path("a")), "one");
  EXPECT_EQ(dir.files(), 1u) << "b was never named";
}

TEST(OutputFile, TwoWritersOfOneNameDoNotMix) {
  const test::TempDir dir;
  OutputFile a(dir.path("f")), b(dir.path("f"));
  a.write(bytes("a"));
  b.write(bytes("b"));
  a.commit();
  b.commit();
  EXPECT_EQ(content(dir.path("f")), "b");
  EXPECT_EQ(dir.files(), 1u);
}

}  // namespace
}  // namespace skald
