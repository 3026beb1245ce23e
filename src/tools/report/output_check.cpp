#include "tools/report/output_check.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "io/gguf_split.h"
#include "io/output_file.h"

namespace skald {
namespace {

namespace fs = std::filesystem;

void refuse_if_same(const std::string& out, const std::string& input) {
  if (same_file(out, input)) fail(Errc::kBadInput, "cannot write {}: it is the same file as {}, which is read", out, input);
}

// GGUF files in a folder were made of it before.
void refuse_files_of_folder(const std::string& out, const std::string& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(folder, ignored))
    if (entry.is_regular_file(ignored) && entry.path().extension() != ".gguf") refuse_if_same(out, entry.path().string());
}

void refuse_input(const std::string& out, const std::string& input) {
  std::error_code ignored;
  if (input.empty() || input == "-") return;
  if (fs::is_directory(input, ignored)) return refuse_files_of_folder(out, input);
  refuse_if_same(out, input);
  const auto shard = gguf::parse_shard_name(input);
  for (int64_t i = 1; shard && i <= shard->count; ++i)
    if (fs::exists(shard->path(i), ignored)) refuse_if_same(out, shard->path(i));
}

void check_folder(const std::string& out, const fs::path& folder) {
  std::error_code ignored;
  if (!folder.empty() && !fs::is_directory(folder, ignored))
    fail(Errc::kNotFound, "cannot write {}: there is no folder {}", out, folder.string());
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0)
    fail(Errc::kBadInput, "cannot write {}: {}", out, std::generic_category().message(errno));
}

}  // namespace

void check_output(const std::string& out, const std::vector<std::string>& inputs) {
  if (out.empty()) fail(Errc::kBadInput, "the name of the output file is empty");
  if (out == "-") fail(Errc::kBadInput, "cannot write - (standard output): want a file; ./- is one of that name");
  std::error_code ignored;
  // Before links are followed: that of /dev/stdout names no path where it is a pipe.
  if (fs::exists(out, ignored) && !fs::is_regular_file(out, ignored))
    fail(Errc::kBadInput, "cannot write {}: it exists and is not a regular file", out);
  check_folder(out, fs::path(resolve_links(out)).parent_path());
  for (const std::string& input : inputs) refuse_input(out, input);
}

}  // namespace skald
