#include "serve/batch/batch_known.h"

#include "base/error.h"
#include "io/line_reader.h"
#include "serve/batch/batch_line.h"
#include "serve/batch/batch_output.h"

namespace skald::serve {

void BatchKnown::read(const std::string& path) {
  LineReader(path, kLongestBatchAnswer).each([&](const LineReader::Line& line) {
    const auto record = parse_batch_record(line.text);
    if (!record) fail(Errc::kBadInput, "{}:{}: no line of a batch's answers; want a file of its own", path, line.number);
    ids_.add(batch_name(record->custom_id, record->line),
             static_cast<int64_t>(record->failed ? State::kFailed : State::kAnswered));
  });
}

BatchKnown::State BatchKnown::of(const std::optional<std::string>& custom_id, int64_t line) const {
  return static_cast<State>(ids_.find(batch_name(custom_id, line)).value_or(0));
}

int64_t survey_batch(const std::string& in, int64_t longest_line) {
  BatchIds ids;
  int64_t count = 0;
  LineReader(in, longest_line).each([&](const LineReader::Line& line) {
    ++count;
    const auto id = custom_id_of(line);
    if (!id) return;
    if (const auto first = ids.add(*id, line.number)) refuse_same_id(in, line.number, *id, *first);
  });
  return count;
}

void refuse_same_id(const std::string& in, int64_t line, const std::string& custom_id, int64_t first) {
  fail(Errc::kBadInput, "{}:{}: the custom_id {} is line {}'s too", in == "-" ? "standard input" : in, line, custom_id,
       first);
}

}  // namespace skald::serve
