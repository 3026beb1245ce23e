#include "serve/batch/batch_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "serve/json.h"
#include "serve/run/answer.h"

namespace skald::serve {
namespace {

constexpr std::string_view kBegins = R"({"id":"batch_req_)";

// Where the last line begins, of a file of this size.
int64_t last_line(int fd, int64_t size) {
  std::string piece(size_t{64} << 10, '\0');
  for (int64_t end = size; end > 0;) {
    const int64_t begin = std::max<int64_t>(0, end - std::ssize(piece));
    const ssize_t got = ::pread(fd, piece.data(), static_cast<size_t>(end - begin), begin);
    if (got != end - begin) return -1;
    const size_t at = std::string_view(piece.data(), static_cast<size_t>(got)).rfind('\n');
    if (at != std::string_view::npos) return begin + static_cast<int64_t>(at) + 1;
    end = begin;
  }
  return 0;
}

std::string read_at(int fd, int64_t begin, int64_t end) {
  std::string out(static_cast<size_t>(end - begin), '\0');
  return ::pread(fd, out.data(), out.size(), begin) == std::ssize(out) ? out : "";
}

}  // namespace

bool is_torn_record(std::string_view text) {
  return text.substr(0, kBegins.size()) == kBegins.substr(0, std::min(text.size(), kBegins.size()));
}

std::string BatchAnswer::text() const {
  const Json id = custom_id ? Json(*custom_id) : Json();
  std::string out = fmt::format("{}{}\",\"custom_id\":{},", kBegins, sum, dump(id));
  if (error_code.empty())
    out += fmt::format(R"("response":{{"status_code":{},"request_id":{},"body":{}}},"error":null}})", status,
                       dump(Json(request_id)), body);
  else
    out += fmt::format(R"("response":null,"error":{})", dump({{"code", error_code}, {"message", message}, {"line", line}})) +
           "}";
  return out + "\n";
}

// Bodies, which may be long, are read over.
std::optional<BatchRecord> parse_batch_record(std::string_view text) {
  const auto without_bodies = [](int depth, Json::parse_event_t event, Json& value) {
    return event != Json::parse_event_t::key || depth != 2 || !is_text(value, "body");
  };
  const Json json = Json::parse(text, without_bodies, /*allow_exceptions=*/false);
  if (!json.is_object() || !text.starts_with(kBegins) || !json.contains("custom_id")) return {};
  const std::string_view sum = text.substr(kBegins.size());
  BatchRecord out{.sum = std::string(sum.substr(0, sum.find('"')))};
  if (const Json& id = json["custom_id"]; id.is_string()) out.custom_id = id.get<std::string>();
  const Json response = json.value("response", Json()), error = json.value("error", Json());
  if (error.is_object()) {
    const Json line = error.value("line", Json());
    out.failed = true;
    if (line.is_number_integer()) out.line = line.get<int64_t>();
  } else if (response.is_object() && response.contains("status_code")) {
    out.failed = response["status_code"] != 200;
  } else {
    return {};
  }
  return out;
}

BatchFile::BatchFile(const std::string& path) : path_(path) {
  constexpr int kMode = 0666;
  fd_ = path == "-" ? STDOUT_FILENO : ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, kMode);
  if (fd_ < 0) fail_with("cannot be opened");
  if (path == "-") return;
  try {
    lock();
    repair();
  } catch (...) {
    ::close(fd_);
    throw;
  }
}

BatchFile::~BatchFile() {
  if (fd_ != STDOUT_FILENO) ::close(fd_);
}

void BatchFile::fail_with(const char* what) const {
  fail(Errc::kDevice, "{} {}: {}", path_ == "-" ? "standard output" : path_, what, std::strerror(errno));
}

void BatchFile::lock() const {
  if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) return;
  if (errno == EWOULDBLOCK) fail(Errc::kDevice, "{}: another batch writes to it", path_);
  fail_with("cannot be locked");
}

void BatchFile::repair() const {
  struct stat about {};
  if (::fstat(fd_, &about) != 0) fail_with("cannot be read");
  const int64_t size = about.st_size, begin = last_line(fd_, size);
  if (begin < 0) fail_with("cannot be read");
  if (begin == size) return;
  const std::string tail = read_at(fd_, begin, size);
  if (parse_batch_record(tail)) {
    if (::write(fd_, "\n", 1) != 1) fail_with("cannot be written");
    return;
  }
  if (!is_torn_record(tail)) fail(Errc::kBadInput, "{}: what it ends with is no line of a batch", path_);
  if (::ftruncate(fd_, begin) != 0) fail_with("cannot be cut");
}

void BatchFile::write(const BatchAnswer& answer) {
  const std::string text = answer.text();
  for (size_t done = 0; done < text.size();) {
    const ssize_t step = ::write(fd_, text.data() + done, text.size() - done);
    if (step < 0 && errno != EINTR) fail_with("cannot be written");
    if (step > 0) done += static_cast<size_t>(step);
  }
}

}  // namespace skald::serve
