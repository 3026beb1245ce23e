#include "serve/batch/batch_answers.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "io/line_reader.h"

namespace skald::serve {

std::string shown_name(const std::optional<std::string>& custom_id, int64_t line) {
  return custom_id ? *custom_id : fmt::format("line {}", line);
}

void BatchAnswers::read(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return;
  files_.push_back(path);
  std::optional<int64_t> torn;
  const auto refuse = [&](int64_t line) { fail(Errc::kBadInput, "{}:{}: no line of a batch's answers", path, line); };
  LineReader(path, kLongestBatchAnswer).each([&](const LineReader::Line& line) {
    if (torn) refuse(*torn);
    if (const auto record = parse_batch_record(line.text))
      add(*record, {.file = std::ssize(files_) - 1, .begin = line.begin, .bytes = std::ssize(line.text)});
    else if (is_torn_record(line.text))
      torn = line.number;  // good at the end alone
    else
      refuse(line.number);
  });
}

void BatchAnswers::add(const BatchRecord& record, Place place) {
  const auto first = ids_.add(batch_name(record.custom_id, record.line), std::ssize(places_));
  if (!first) {
    places_.push_back(place);
    return;
  }
  const auto file_of = [&](const Place& p) { return std::filesystem::path(path_of(p)).filename().string(); };
  doubles_.push_back(fmt::format("{} in {} and {}", shown_name(record.custom_id, record.line),
                                 file_of(places_[static_cast<size_t>(*first)]), file_of(place)));
}

std::optional<BatchAnswers::Taken> BatchAnswers::take(const std::optional<std::string>& custom_id, int64_t line) {
  const auto at = ids_.find(batch_name(custom_id, line));
  if (!at) return {};
  Place& place = places_[static_cast<size_t>(*at)];
  place.taken = true;
  Taken out{.text = text_at(place), .record = {}};
  out.record = record_at(out.text, place);
  out.text += '\n';
  return out;
}

std::vector<std::string> BatchAnswers::left() {
  std::vector<std::string> out;
  for (const Place& place : places_) {
    if (place.taken) continue;
    const BatchRecord record = record_at(text_at(place), place);
    out.push_back(shown_name(record.custom_id, record.line));
  }
  return out;
}

std::string BatchAnswers::text_at(const Place& place) {
  const std::string& path = path_of(place);
  if (open_file_ != place.file) {
    open_.emplace(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (open_->get() < 0) fail(Errc::kDevice, "{} cannot be opened: {}", path, std::strerror(errno));
    open_file_ = place.file;
  }
  std::string out(static_cast<size_t>(place.bytes), '\0');
  for (size_t done = 0; done < out.size();) {
    const ssize_t got = ::pread(open_->get(), out.data() + done, out.size() - done,
                                static_cast<off_t>(place.begin + static_cast<int64_t>(done)));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail(Errc::kDevice, "{} cannot be read: {}", path, got < 0 ? std::strerror(errno) : "it was cut");
    done += static_cast<size_t>(got);
  }
  return out;
}

BatchRecord BatchAnswers::record_at(const std::string& text, const Place& place) const {
  auto record = parse_batch_record(text);
  if (!record) fail(Errc::kDevice, "{} changed while it was read", path_of(place));
  return std::move(*record);
}

}  // namespace skald::serve
