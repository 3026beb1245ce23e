// Work that takes a while: a line on the terminal that says how far it is, and an end at Ctrl-C.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "cli/terminal/progress_meter.h"
#include "skald/types.h"

namespace skald {

/// Returns whether lines of progress are seen: stderr is a terminal.
bool shows_progress();

/// A line on stderr that the next one replaces, on terminals; nothing elsewhere.
void show_progress(const std::string& line);
void end_progress();

/// Shows on terminals how far work is that takes longer than half a second. The line goes when the object does, and when
/// all is done. Not for several threads at once.
class Progress {
 public:
  explicit Progress(std::string what, ProgressUnit unit = kInBytes);
  ~Progress() { end(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Work begins with this much done already.
  void begin(int64_t done);
  void operator()(int64_t done, int64_t total, std::string_view note = {});
  /// Wipes the line, if there is one.
  void end();

 private:
  ProgressMeter meter_;
  bool shown_ = false;
};

/// The same for callbacks that outlive the caller; copies share one line.
OnProgress progress_callback(std::string what);

/// Runs `work`, which must call its argument now and then; at Ctrl-C that throws through it. False when it did.
bool unless_interrupted(const std::function<void(const std::function<void()>& check)>& work);

/// Runs `write`, showing "writing <out>: 1.20 GiB of 4.30 GiB, ..."; at Ctrl-C it ends by an exception, so that it leaves no
/// file. False when it did.
bool with_write_progress(const std::string& out, const std::function<void(const OnProgress&)>& write);

}  // namespace skald
