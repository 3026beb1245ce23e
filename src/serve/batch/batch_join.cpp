#include "serve/batch/batch_join.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "io/line_reader.h"
#include "io/output_file.h"
#include "io/printable.h"
#include "serve/batch/batch.h"
#include "serve/batch/batch_answers.h"
#include "serve/batch/batch_known.h"
#include "serve/batch/batch_line.h"

namespace skald::serve {
namespace {

constexpr size_t kNamed = 5;  // in messages

// The result of another program is no place for answers.
void check_target(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return;
  const auto line = LineReader(path, kLongestBatchAnswer).next();
  if (line && !parse_batch_record(line->text))
    fail(Errc::kBadInput, "cannot write {}: it is there, and its first line is no answer of a batch", path);
}

class Join {
 public:
  explicit Join(const BatchJoin& join) : o_(join) {}

  BatchJoined run() {
    read_answers();
    OutputFile out(o_.out);
    std::optional<OutputFile> errors;
    if (!o_.errors.empty()) errors.emplace(o_.errors);
    LineReader(o_.in, o_.longest_line).each([&](const LineReader::Line& line) { put(line, out, errors ? *errors : out); });
    check();
    out.finish();
    if (errors) errors->commit();
    out.commit();
    return joined_;
  }

 private:
  void read_answers() {
    for (BatchShard shard{.index = 0, .count = o_.shards}; shard.index < shard.count; ++shard.index)
      for (const std::string& whole : {o_.out, o_.errors})
        if (!whole.empty()) answers_.read(shard.file(whole));
  }

  void put(const LineReader::Line& line, OutputFile& out, OutputFile& errors) {
    const std::optional<std::string> custom_id = custom_id_of(line);
    if (custom_id)
      if (const auto first = ids_.add(*custom_id, line.number)) refuse_same_id(o_.in, line.number, *custom_id, *first);
    const int64_t number = requests_++;
    const auto answer = answers_.take(custom_id, line.number);
    if (!answer) {
      missing_.push_back(shown_name(custom_id, line.number));
      missing_numbers_.push_back(number);
      return;
    }
    if (answer->record.sum != batch_sum(line, custom_id)) changed_.push_back(shown_name(custom_id, line.number));
    (answer->record.failed ? errors : out).write(std::as_bytes(std::span(answer->text)));
    ++(answer->record.failed ? joined_.failed : joined_.answered);
  }

  std::vector<std::string> shards_to_run() const {
    std::vector<std::string> out;
    size_t at = 0;
    for (BatchShard shard{.index = 0, .count = o_.shards}; at < missing_numbers_.size(); ++shard.index) {
      const size_t before = at;
      while (at < missing_numbers_.size() && missing_numbers_[at] < shard.end(requests_)) ++at;
      if (at > before) out.push_back(fmt::format("{}/{}", shard.index, shard.count));
    }
    return out;
  }

  void check() {
    std::string faults;
    const auto add = [&](const char* what, const std::vector<std::string>& names) {
      if (!names.empty()) faults += fmt::format("; {}: {}", what, some_of(names, kNamed));
    };
    add("no answer to", missing_);
    add("to be run", shards_to_run());
    add("several answers to", answers_.doubles());
    add("answers to no request of the input", answers_.left());
    add("changed after the answer", changed_);
    if (faults.empty()) return;
    fail(Errc::kBadInput, "the answers of {} shards do not fit {}{}", o_.shards, o_.in, faults);
  }

  const BatchJoin& o_;
  BatchAnswers answers_;
  BatchIds ids_;
  BatchJoined joined_;
  int64_t requests_ = 0;
  std::vector<std::string> missing_, changed_;
  std::vector<int64_t> missing_numbers_;  // rising
};

}  // namespace

BatchJoined join_batch(const BatchJoin& join) {
  check_batch_files({.in = join.in, .out = join.out, .errors = join.errors});
  for (const std::string& path : {join.out, join.errors})
    if (!path.empty()) check_target(path);
  return Join(join).run();
}

}  // namespace skald::serve
