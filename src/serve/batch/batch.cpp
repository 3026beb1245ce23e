#include "serve/batch/batch.h"

#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.h"
#include "io/line_reader.h"
#include "io/output_file.h"
#include "serve/batch/batch_known.h"
#include "serve/batch/batch_runner.h"

namespace skald::serve {
namespace {

// A batch has no next turns.
ServeOptions without_turns(ServeOptions options) {
  options.read_ahead = false;
  return options;
}

BatchAnswer refusal(const LineReader::Line& line, const BatchLineError& e) {
  return {.line = line.number,
          .custom_id = e.custom_id(),
          .sum = batch_sum(line, e.custom_id()),
          .error_code = e.code(),
          .message = e.what()};
}

class Batch {
 public:
  explicit Batch(BatchOptions options) : o_(std::move(options)) {}

  BatchProgress run() {
    LineReader lines(o_.in, o_.serve.http.max_body);
    survey(lines.is_file());
    answers_.emplace(o_.out);
    if (!o_.errors.empty()) failures_.emplace(o_.errors);
    for (const std::string& path : {o_.out, o_.errors})
      if (!path.empty() && path != "-") known_.read(path);
    if (o_.shard && progress_.lines == 0) return progress_;
    runner_ = std::make_unique<BatchRunner>(without_turns(o_.serve), *answers_, failures_ ? *failures_ : *answers_, go_on());
    if (!lines.is_file()) runner_->begin();
    progress_.interrupted = !take_all(lines) || !runner_->finish(go_on());
    report();
    runner_.reset();
    return progress_;
  }

 private:
  // Which lines there are, and which of them are ours.
  void survey(bool is_file) {
    if (o_.shard && !is_file) fail(Errc::kBadInput, "{}: want a file for a shard: its lines are counted first", o_.in);
    if (is_file) progress_.lines = survey_batch(o_.in, o_.serve.http.max_body);
    if (!o_.shard) return;
    first_ = o_.shard->first(progress_.lines);
    end_ = o_.shard->end(progress_.lines);
    progress_.lines = end_ - first_;
  }

  // False when it was told to stop.
  bool take_all(LineReader& lines) {
    for (int64_t at = 0; at < end_; ++at) {
      const auto line = lines.next(go_on());
      if (!line) break;
      if (at >= first_ && !take(*line)) return false;
    }
    return !stopped_;
  }

  bool take(const LineReader::Line& line) {
    try {
      BatchRequest request = parse_batch_line(line);
      check_new(request.custom_id, line.number);
      return is_known(request.custom_id, line.number) || runner_->add(std::move(request), go_on());
    } catch (const BatchLineError& e) {
      if (e.custom_id()) check_new(*e.custom_id(), line.number);
      if (!is_known(e.custom_id(), line.number)) runner_->add(refusal(line, e));
    }
    return true;
  }

  void check_new(const std::string& custom_id, int64_t line) {
    if (const auto first = ids_.add(custom_id, line)) refuse_same_id(o_.in, line, custom_id, *first);
  }

  bool is_known(const std::optional<std::string>& custom_id, int64_t line) {
    const BatchKnown::State state = known_.of(custom_id, line);
    if (state == BatchKnown::State::kNew) return false;
    ++progress_.skipped;
    skipped_failed_ += state == BatchKnown::State::kFailed;
    return true;
  }

  std::function<bool()> go_on() {
    return [this] {
      if (o_.stop && o_.stop()) stopped_ = true;
      if (runner_) report();
      return !stopped_;
    };
  }

  void report() {
    const EngineStatus status = runner_->status();
    progress_.done = progress_.skipped + runner_->answered();
    progress_.failed = skipped_failed_ + runner_->failed();
    progress_.cached_tokens = status.cached_tokens;
    progress_.prompt_tokens = status.prompt_tokens + status.cached_tokens;
    progress_.generated_tokens = status.generated_tokens;
    if (o_.on_progress) o_.on_progress(progress_);
  }

  BatchOptions o_;
  BatchKnown known_;  // from earlier runs
  BatchIds ids_;      // of this one
  std::optional<BatchFile> answers_, failures_;
  std::unique_ptr<BatchRunner> runner_;
  BatchProgress progress_;
  int64_t first_ = 0, end_ = std::numeric_limits<int64_t>::max();  // of our lines, counted without empty ones
  int64_t skipped_failed_ = 0;
  bool stopped_ = false;
};

}  // namespace

void check_batch_files(const BatchOptions& o) {
  const auto is_file = [](const std::string& path) { return !path.empty() && path != "-"; };
  if (is_file(o.out) && is_file(o.in) && same_file(o.in, o.out))
    fail(Errc::kBadInput, "cannot write {}: it is the file that is read", o.out);
  if (!is_file(o.errors)) return;
  if ((is_file(o.in) && same_file(o.in, o.errors)) || same_file(o.out, o.errors) || o.out == o.errors)
    fail(Errc::kBadInput, "cannot write {}: it is the input or the output", o.errors);
}

BatchProgress run_batch(BatchOptions options) {
  check_batch_files(options);
  return Batch(std::move(options)).run();
}

}  // namespace skald::serve
