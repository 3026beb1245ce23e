#include "cli/terminal/progress.h"

#include <unistd.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "base/terminal_text.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/window.h"

namespace skald {
namespace {

// The part that fits on one line: a second one would stay.
std::string beginning(const std::string& line, int characters) {
  size_t at = 0;
  for (; at < line.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(line[at]) & 0xc0) != 0x80;  // a character of UTF-8
    if (begins && characters-- <= 0) break;
  }
  return line.substr(0, at);
}

}  // namespace

bool shows_progress() { return isatty(STDERR_FILENO) != 0; }

void show_progress(const std::string& line) {
  const int columns = window_columns(STDERR_FILENO);
  if (columns > 0) std::fprintf(stderr, "\r\x1b[K%s", beginning(terminal_text(line), columns - 1).c_str());
}

void end_progress() { show_progress(""); }

Progress::Progress(std::string what, ProgressUnit unit) : meter_(std::move(what), unit, ProgressMeter::Clock::now()) {}

void Progress::begin(int64_t done) { meter_.begin(done, ProgressMeter::Clock::now()); }

void Progress::operator()(int64_t done, int64_t total, std::string_view note) {
  if (done >= total) return end();
  const std::optional<std::string> line = meter_.line(done, total, ProgressMeter::Clock::now(), note);
  if (!line) return;
  show_progress(*line);
  shown_ = true;
}

void Progress::end() {
  if (std::exchange(shown_, false)) end_progress();
}

OnProgress progress_callback(std::string what) {
  return [progress = std::make_shared<Progress>(std::move(what))](int64_t done, int64_t total) { (*progress)(done, total); };
}

bool unless_interrupted(const std::function<void(const std::function<void()>& check)>& work) {
  catch_interrupts();
  try {
    work(throw_if_interrupted);
  } catch (const Interrupted&) {
    return false;
  }
  return true;
}

bool with_write_progress(const std::string& out, const std::function<void(const OnProgress&)>& write) {
  return unless_interrupted([&](const std::function<void()>& check) {
    Progress progress("writing " + out);
    write([&](int64_t done, int64_t total) {
      check();
      progress(done, total);
    });
  });
}

}  // namespace skald
