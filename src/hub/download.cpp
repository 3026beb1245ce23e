#include "hub/download.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/error.h"
#include "base/size_text.h"
#include "hub/content_range.h"
#include "hub/file_lock.h"
#include "hub/incomplete_file.h"
#include "io/printable.h"

namespace skald {
namespace {

namespace fs = std::filesystem;

// A connection that brings this much before it breaks is no sign of a server that never ends.
constexpr int64_t kProgress = int64_t{16} << 20;

std::optional<int64_t> size_of(const std::string& path) {
  std::error_code error;
  const auto size = static_cast<int64_t>(fs::file_size(path, error));
  return error ? std::nullopt : std::optional(size);
}

// Checks that the answer begins at the file's end, or clears the file where the server sends all bytes again.
void place(const HttpAnswer& answer, IncompleteFile& file, int64_t size) {
  if (answer.status == 206) return check_content_range(answer.header("content-range"), file.length(), size);
  if (file.length() > 0) file.clear();
}

class Download {
 public:
  Download(HubApi& api, const HubContent& content, const HubEvents& events, IncompleteFile& file)
      : api_(api), content_(content), events_(events), file_(file) {}

  void run() {
    Tries tries(api_.retries());
    for (bool first = true; first || !file_.is_whole(); first = false) {
      if (first && file_.is_whole()) return;
      const int64_t before = file_.length();
      try {
        ask();
        if (!file_.is_whole())
          throw HttpFailure(fmt::format("the connection ended at {} of {} bytes", file_.length(), content_.file.size));
      } catch (const HttpFailure& failure) {
        if (file_.length() - before >= kProgress) tries.start_anew();
        tries.failed(failure);
      }
    }
  }

 private:
  void ask() {
    HttpRequest request = api_.file(content_.repo, content_.commit, content_.file.path);
    if (file_.length() > 0) request.from = file_.length();
    api_.http().get(
        request, [&](const HttpAnswer& answer) { place(answer, file_, content_.file.size); },
        [&](std::span<const std::byte> bytes) {
          file_.write(bytes);
          if (events_.progress) events_.progress(content_.file, file_.length(), /*checking=*/false);
        });
  }

  HubApi& api_;
  const HubContent& content_;
  const HubEvents& events_;
  IncompleteFile& file_;
};

// Whether the content came whole and right.
bool get(HubApi& api, const HubCache& cache, const HubContent& content, const HubEvents& events, bool& resumed) {
  const std::string &blob = content.file.blob, path = cache.incomplete(content.repo, blob);
  IncompleteFile file(path, content.file.size, blob, [&](int64_t done) {
    if (events.check) events.check();
    if (events.progress) events.progress(content.file, done, /*checking=*/true);
  });
  resumed = file.length() > 0;
  Download(api, content, events, file).run();
  if (!file.has_sum()) {
    file.remove();
    return false;
  }
  file.commit(cache.blob(content.repo, blob));
  return true;
}

}  // namespace

void download(HubApi& api, const HubCache& cache, const HubContent& content, const HubEvents& events) {
  const auto& [repo, commit, file] = content;
  make_folders(cache.repo_folder(repo) + "/blobs");
  const FileLock lock(cache.lock(repo, file.blob), [&, told = false]() mutable {
    if (!told && events.say) events.say(fmt::format("{}: another program is getting it", printable(file.path)));
    told = true;
    if (events.check) events.check();
  });
  if (size_of(cache.blob(repo, file.blob)) == file.size) return;
  doing(file.path, [&] {
    bool resumed = false;
    if (get(api, cache, content, events, resumed)) return;
    // The beginning may be from a disk that lost it: from another program, or before a crash.
    if (resumed && events.say)
      events.say(fmt::format("{}: what was there before was not its beginning; once more", printable(file.path)));
    if (resumed && get(api, cache, content, events, resumed)) return;
    fail(Errc::kBadFile, "what came has not the sum {}: the file was changed on its way, or on the server", file.blob);
  });
}

int64_t missing_bytes(const HubCache& cache, const HubRepo& repo, const HubFile& file) {
  if (size_of(cache.blob(repo, file.blob)) == file.size) return 0;
  const int64_t there = size_of(cache.incomplete(repo, file.blob)).value_or(0);
  return there <= file.size ? file.size - there : file.size;
}

void check_disk_space(const std::string& folder, int64_t bytes) {
  fs::path at = fs::absolute(folder);
  std::error_code error;
  while (!fs::exists(at, error) && at.has_relative_path()) at = at.parent_path();
  const fs::space_info space = fs::space(at, error);
  if (error || bytes <= static_cast<int64_t>(space.available)) return;  // a disk that does not say is tried
  fail(Errc::kDevice, "{}: there is no space: {} are needed and {} are free", folder, size_text(bytes),
       size_text(static_cast<int64_t>(space.available)));
}

}  // namespace skald
