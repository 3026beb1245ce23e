#include "text/text_file.h"

#include <algorithm>
#include <cstdint>
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

int64_t size_of(const std::string& path) {
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(path, error);
  return error ? 0 : static_cast<int64_t>(std::min<uintmax_t>(size, kMostBytes));
}

// Returns one byte more than a file may have where it has too many. Files of /proc tell a size of 0, and others grow.
std::string first_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  int64_t n_read = 0;
  for (int64_t room = size_of(path) + 1; file && n_read <= kMostBytes; room = std::min(2 * room, kMostBytes + 1)) {
    text.resize(static_cast<size_t>(room));
    file.read(text.data() + n_read, room - n_read);
    n_read += file.gcount();
  }
  if (!file.is_open() || file.bad()) fail(Errc::kNotFound, "{}: cannot be read", path);
  text.resize(static_cast<size_t>(n_read));
  return text;
}

void check_text(const std::string& path, std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_step(text, at);
    if (step.kind != Utf8Kind::kChar || text[at] == '\0')
      fail(Errc::kBadInput, "{}: is no text file: byte {} is not UTF-8 text", path, at);
    at += static_cast<size_t>(step.length);
  }
}

}  // namespace

std::string read_text_file(const std::string& path) {
  check_kind(path);
  std::string text = first_bytes(path);
  if (std::ssize(text) > kMostBytes) fail(Errc::kBadInput, "{}: has more than {}", path, size_text(kMostBytes));
  check_text(path, text);
  return text;
}

}  // namespace skald
