#include "io/line_reader.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace skald {
namespace {

constexpr size_t kPiece = size_t{64} << 10;
constexpr int kAskEvery = 100;  // milliseconds
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF", kWhite = " \t\r";

int open_file(const std::string& path) {
  if (path == "-") return STDIN_FILENO;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail(Errc::kNotFound, "cannot open {}: {}", path, std::strerror(errno));
  return fd;
}

void leave_out_mark(LineReader::Line& line) {
  if (!line.text.starts_with(kByteOrderMark)) return;
  line.text.erase(0, kByteOrderMark.size());
  line.begin += std::ssize(kByteOrderMark);
}

}  // namespace

LineReader::LineReader(const std::string& path, int64_t longest)
    : name_(path == "-" ? "standard input" : path), longest_(longest), fd_(open_file(path)) {
  struct stat about {};
  if (::fstat(fd_, &about) != 0 || !S_ISDIR(about.st_mode)) return;
  if (fd_ != STDIN_FILENO) ::close(fd_);
  fail(Errc::kBadInput, "{}: a folder; want a file", name_);
}

LineReader::~LineReader() {
  if (fd_ != STDIN_FILENO) ::close(fd_);
}

bool LineReader::is_file() const {
  struct stat about {};
  return fd_ != STDIN_FILENO && ::fstat(fd_, &about) == 0 && S_ISREG(about.st_mode);
}

// Reads a piece more; false at the end, and when `go_on` says no.
bool LineReader::fill(const std::function<bool()>& go_on) {
  for (;;) {
    pollfd state{.fd = fd_, .events = POLLIN, .revents = 0};
    if (go_on && !go_on()) return false;
    if (::poll(&state, 1, kAskEvery) == 0) continue;
    buffer_begin_ += static_cast<int64_t>(at_);
    buffer_.erase(0, std::exchange(at_, 0));
    const size_t before = buffer_.size();
    buffer_.resize(before + kPiece);
    const ssize_t got = ::read(fd_, buffer_.data() + before, kPiece);
    const int error = errno;
    buffer_.resize(before + static_cast<size_t>(got < 0 ? 0 : got));
    if (got < 0 && (error == EINTR || error == EAGAIN)) continue;
    if (got < 0) fail(Errc::kDevice, "cannot read {}: {}", name_, std::strerror(error));
    if (got == 0) over_ = true;
    return got > 0;
  }
}

std::optional<LineReader::Line> LineReader::next(const std::function<bool()>& go_on) {
  bool too_long = false;
  for (size_t searched = at_;;) {
    const size_t end = buffer_.find('\n', searched);
    const bool ended = end != std::string::npos, last = !ended && over_;
    const size_t length = (ended ? end : buffer_.size()) - at_;
    if (static_cast<int64_t>(length) > longest_) too_long = true;
    if (too_long && !ended) at_ = buffer_.size();
    if (!ended && !last) {
      searched = buffer_.size() - at_;  // where it stands when the bytes that were read are erased
      if (!fill(go_on) && !over_) return {};
      continue;
    }
    Line line{.number = ++lines_, .text = too_long ? "" : buffer_.substr(at_, length), .too_long = too_long};
    if (!too_long) line.begin = buffer_begin_ + static_cast<int64_t>(at_);
    at_ = ended ? end + 1 : buffer_.size();
    searched = at_;
    if (lines_ == 1) leave_out_mark(line);
    if (too_long || line.text.find_first_not_of(kWhite) != std::string::npos) return line;
    if (last) return {};
  }
}

void LineReader::each(const std::function<void(const Line& line)>& read) {
  for (;;) {
    const std::optional<Line> line = next();
    if (!line) return;
    read(*line);
  }
}

}  // namespace skald
