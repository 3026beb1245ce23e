#include "serve/load/sse_reader.h"

#include <utility>

#include "base/error.h"

namespace skald::serve {
namespace {

constexpr size_t kMostEvent = size_t{1} << 20;

}  // namespace

// Lines end with CR, LF or both.
void SseReader::read(std::string_view bytes, const std::function<void(std::string_view)>& on_data) {
  while (!bytes.empty()) {
    if (std::exchange(after_cr_, false) && bytes[0] == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const size_t end = bytes.find_first_of("\r\n");
    line_.append(bytes.substr(0, end));
    if (line_.size() + data_.size() > kMostEvent) fail(Errc::kBadFile, "an event of more than {} KiB", kMostEvent >> 10);
    if (end == std::string_view::npos) return;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    end_line(on_data);
    line_.clear();
  }
}

// Other fields than data, and comments, say nothing here.
void SseReader::end_line(const std::function<void(std::string_view)>& on_data) {
  constexpr std::string_view kData = "data";
  if (line_.empty()) {
    if (std::exchange(has_data_, false)) on_data(data_);
    data_.clear();
    return;
  }
  std::string_view line = line_;
  const size_t colon = line.find(':');
  if (line.substr(0, colon) != kData) return;
  std::string_view value = colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (std::exchange(has_data_, true)) data_ += '\n';
  data_ += value;
}

}  // namespace skald::serve
