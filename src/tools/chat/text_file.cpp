#include "tools/chat/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/size_text.h"
#include "text/utf8.h"

namespace skald {
namespace {

constexpr int64_t kMostBytes = int64_t{16} << 20;

// Opening a pipe would wait for its writer.
void check_kind(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) fail(Errc::kNotFound, "{}: cannot be read: there is no such file", path);
  if (std::filesystem::is_directory(status)) fail(Errc::kBadInput, "{}: is a directory", path);
  if (!std::filesystem::is_regular_file(status)) fail(Errc::kBadInput, "{}: is no regular file", path);
}

void check_text(const std::string& path, std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_step(text, at);
    if (step.kind != Utf8Kind::kChar || text[at] == '\0')
      fail(Errc::kBadInput, "{}: is no text file: byte {} is not UTF-8 text", path, at);
    at += static_cast<size_t>(step.length);
  }
}

size_t longest_run(std::string_view text, char c) {
  size_t longest = 0, run = 0;
  for (const char next : text) {
    run = next == c ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

std::string read_text_file(const std::string& path) {
  check_kind(path);
  std::ifstream file(path, std::ios::binary);
  std::string text(static_cast<size_t>(kMostBytes) + 1, '\0');
  file.read(text.data(), std::ssize(text));
  if (!file.is_open() || file.bad()) fail(Errc::kNotFound, "{}: cannot be read", path);
  if (file.gcount() > kMostBytes) fail(Errc::kBadInput, "{}: has more than {}", path, size_text(kMostBytes));
  text.resize(static_cast<size_t>(file.gcount()));
  check_text(path, text);
  return text;
}

// The fence is longer than any within the text.
std::string as_part_of_message(const std::string& path, std::string_view text) {
  const std::string fence(std::max<size_t>(3, longest_run(text, '`') + 1), '`');
  const char* const end = text.empty() || text.ends_with('\n') ? "" : "\n";
  return fmt::format("{}:\n{}\n{}{}{}\n\n", path, fence, text, end, fence);
}

}  // namespace skald
