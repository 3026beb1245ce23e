#include "serve/load/response_reader.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/lowercase.h"
#include "base/terminal_text.h"

namespace skald::serve {
namespace {

constexpr size_t kMostHead = size_t{64} << 10;
constexpr uint64_t kMostBody = uint64_t{1} << 40;

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// The text as it is fit for a message.
std::string beginning_of(std::string_view text) {
  constexpr size_t kMost = 60;
  return terminal_text(text.substr(0, kMost)) + (text.size() > kMost ? "..." : "");
}

uint64_t number_of(std::string_view text, int base, std::string_view what) {
  uint64_t out = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, out, base);
  if (error != std::errc{} || at != end || out > kMostBody)
    fail(Errc::kBadFile, "{} is no length: {}", what, beginning_of(text));
  return out;
}

}  // namespace

std::string_view ResponseReader::header(std::string_view name) const {
  const auto found = std::ranges::find(headers_, name, &HttpFields::value_type::first);
  return found == headers_.end() ? std::string_view{} : std::string_view(found->second);
}

// Whether a line is whole then.
bool ResponseReader::take_line(std::string_view& bytes) {
  const size_t end = bytes.find('\n');
  const size_t step = end == std::string_view::npos ? bytes.size() : end + 1;
  head_bytes_ += step;
  if (head_bytes_ > kMostHead)
    fail(Errc::kBadFile, "{} of more than {} KiB", part_ < Part::kLength ? "headers" : "lines between chunks",
         kMostHead >> 10);
  line_.append(bytes.substr(0, step));
  bytes.remove_prefix(step);
  if (end == std::string_view::npos) return false;
  line_.pop_back();
  if (line_.ends_with('\r')) line_.pop_back();
  return true;
}

ResponseReader::State ResponseReader::read(std::string_view bytes, const std::function<void(std::string_view)>& sink) {
  while (!bytes.empty()) {
    switch (part_) {
      case Part::kDone:
        fail(Errc::kBadFile, "bytes after the answer: {}", beginning_of(bytes));
      case Part::kUntilEnd:
        sink(bytes);
        return State::kMore;
      case Part::kLength:
      case Part::kChunk: {
        const size_t step = static_cast<size_t>(std::min<uint64_t>(left_, bytes.size()));
        sink(bytes.substr(0, step));
        bytes.remove_prefix(step);
        left_ -= step;
        if (left_ == 0) part_ = part_ == Part::kChunk ? Part::kChunkEnd : Part::kDone;
        break;
      }
      default:
        if (take_line(bytes)) {
          read_line();
          line_.clear();
        }
    }
  }
  return part_ == Part::kDone ? State::kDone : State::kMore;
}

void ResponseReader::read_line() {
  switch (part_) {
    case Part::kStatus:
      return read_status();
    case Part::kHeaders:
      return line_.empty() ? begin_body() : read_header();
    case Part::kChunkSize:
      return read_chunk_size();
    case Part::kChunkEnd:
      if (!line_.empty()) fail(Errc::kBadFile, "a chunk is longer than it says");
      part_ = Part::kChunkSize;
      return;
    default:  // trailers
      if (line_.empty()) part_ = Part::kDone;
  }
}

void ResponseReader::read_status() {
  constexpr size_t kNumberAt = 9;
  const std::string_view line = line_;
  if (!line.starts_with("HTTP/1.") || line.size() < kNumberAt + 3)
    fail(Errc::kBadFile, "no HTTP/1.1: it answers \"{}\"", beginning_of(line));
  status_ = static_cast<int>(number_of(line.substr(kNumberAt, 3), 10, "the status"));
  if (status_ < 100) fail(Errc::kBadFile, "no HTTP/1.1: it answers \"{}\"", beginning_of(line));
  keeps_alive_ = line[7] != '0';
  headers_.clear();
  part_ = Part::kHeaders;
}

void ResponseReader::read_header() {
  const size_t colon = line_.find(':');
  if (colon == std::string::npos) fail(Errc::kBadFile, "a header without a colon: {}", beginning_of(line_));
  headers_.emplace_back(lowercase(std::string_view(line_).substr(0, colon)),
                        trimmed(std::string_view(line_).substr(colon + 1)));
}

void ResponseReader::begin_body() {
  head_bytes_ = 0;
  if (status_ < 200) {  // "100 Continue": the answer comes after it
    part_ = Part::kStatus;
    return;
  }
  if (const std::string connection = lowercase(header("connection")); connection == "close") keeps_alive_ = false;
  const std::string encoding = lowercase(header("transfer-encoding"));
  const std::string_view length = header("content-length");
  if (encoding == "chunked") {
    part_ = Part::kChunkSize;
  } else if (!encoding.empty()) {
    fail(Errc::kBadFile, "a body in a transfer encoding that was not asked for: {}", beginning_of(encoding));
  } else if (status_ == 204 || status_ == 304) {
    part_ = Part::kDone;
  } else if (!length.empty()) {
    left_ = number_of(length, 10, "Content-Length");
    part_ = left_ ? Part::kLength : Part::kDone;
  } else {
    keeps_alive_ = false;
    part_ = Part::kUntilEnd;
  }
}

void ResponseReader::read_chunk_size() {
  head_bytes_ = 0;
  left_ = number_of(trimmed(std::string_view(line_).substr(0, line_.find(';'))), 16, "a chunk's size");
  part_ = left_ ? Part::kChunk : Part::kTrailers;
}

void ResponseReader::end() {
  if (part_ == Part::kUntilEnd) part_ = Part::kDone;
  if (part_ == Part::kDone) return;
  fail(Errc::kBadFile, "the connection was closed {}",
       part_ == Part::kStatus && line_.empty() ? "without an answer" : "within the answer");
}

}  // namespace skald::serve
