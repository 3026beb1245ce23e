#include "cli/chat/line_input.h"

#include <fmt/format.h>
#include <histedit.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "cli/terminal/cells.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/window.h"
#include "cli/terminal/word_wrap.h"

namespace skald {
namespace {

constexpr int kRemembered = 1000;  // messages
constexpr size_t kMostPasted = size_t{8} << 20;
constexpr std::string_view kPasteBegins = "\x1b[200~", kPasteEnds = "\x1b[201~";

constexpr const char* kMarkPastes = "\x1b[?2004h";
constexpr const char* kDoNotMarkPastes = "\x1b[?2004l";

// Bound to the mark that a terminal sends before a paste: takes all up to the mark at its end. Returns are line feeds there.
unsigned char take_paste(EditLine* el, int) {
  std::string text;
  for (char c = 0; el_getc(el, &c) == 1 && text.size() < kMostPasted;) {
    text += c == '\r' ? '\n' : c;
    if (!text.ends_with(kPasteEnds)) continue;
    text.resize(text.size() - kPasteEnds.size());
    break;
  }
  return el_insertstr(el, text.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
}

// Waits for a character; a signal that came to any thread ends it. Bytes that are no UTF-8 are left out.
int read_char(EditLine*, wchar_t* out) {
  constexpr int kLookEvery = 50;  // ms
  std::mbstate_t state{};
  for (;;) {
    if (interrupted()) {
      errno = EINTR;
      return -1;
    }
    pollfd in{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    if (poll(&in, 1, kLookEvery) <= 0) continue;
    char byte = 0;
    const ssize_t n = read(STDIN_FILENO, &byte, 1);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return static_cast<int>(n);
    const size_t taken = std::mbrtowc(out, &byte, 1, &state);
    if (taken == static_cast<size_t>(-1))
      state = {};
    else if (taken != static_cast<size_t>(-2))
      return 1;
  }
}

}  // namespace

struct LineInput::State {
  static State& of(EditLine* el) {
    void* data = nullptr;
    el_get(el, EL_CLIENTDATA, &data);
    return *static_cast<State*>(data);
  }
  static unsigned char complete_line(EditLine* el, int);

  EditLine* el = nullptr;
  History* history = nullptr;
  HistEvent event{};
  std::string file, prompt;
  Completer complete;
};

// Bound to the tab key: inserts all that the possible words agree on, or shows them.
unsigned char LineInput::State::complete_line(EditLine* el, int) {
  const LineInfo* const info = el_line(el);
  const std::string_view line(info->buffer, static_cast<size_t>(info->cursor - info->buffer));
  if (!line.starts_with('/')) return el_insertstr(el, "\t") == 0 ? CC_REFRESH : CC_ERROR;
  const Completion found = of(el).complete(line);
  const std::string more = found.common().substr(line.size() - found.from);
  if (!more.empty()) return el_insertstr(el, more.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
  if (found.words.size() < 2) return CC_ERROR;
  std::fputs(fmt::format("\n{}\n", wrapped(found.listed(), window_columns(STDOUT_FILENO))).c_str(), stdout);
  return CC_REDISPLAY;
}

LineInput::LineInput(const std::string& history_file, Completer complete) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.complete = std::move(complete);
  s.file = history_file;
  use_utf8();  // libedit's idea of a character
  s.history = history_init();
  history(s.history, &s.event, H_SETSIZE, kRemembered);
  history(s.history, &s.event, H_SETUNIQUE, 1);
  if (!s.file.empty()) history(s.history, &s.event, H_LOAD, s.file.c_str());
  s.el = el_init("skald", stdin, stdout, stderr);
  el_set(s.el, EL_CLIENTDATA, &s);
  el_set(s.el, EL_EDITOR, "emacs");
  el_set(s.el, EL_HIST, history, s.history);
  el_set(s.el, EL_PROMPT, static_cast<char* (*)(EditLine*)>([](EditLine* el) { return State::of(el).prompt.data(); }));
  el_set(s.el, EL_GETCFN, read_char);
  el_set(s.el, EL_ADDFN, "skald-paste", "Insert what is pasted", take_paste);
  el_set(s.el, EL_BIND, kPasteBegins.data(), "skald-paste", nullptr);
  el_set(s.el, EL_ADDFN, "skald-complete", "Complete a command or a file", State::complete_line);
  el_set(s.el, EL_BIND, "^I", "skald-complete", nullptr);
  el_source(s.el, nullptr);  // ~/.editrc
}

LineInput::~LineInput() {
  el_end(state_->el);
  history_end(state_->history);
}

InputLine LineInput::read(const std::string& prompt, const std::string& prefill) {
  State& s = *state_;
  s.prompt = prompt;
  el_resize(s.el);
  // Like a paste, so that its line feeds do not end the line.
  if (!prefill.empty()) el_push(s.el, fmt::format("{}{}{}", kPasteBegins, prefill, kPasteEnds).c_str());
  el_set(s.el, EL_PREP_TERM, 1);  // libedit does so after the prompt: a Ctrl-D that came in between was lost
  std::fputs(kMarkPastes, stdout);
  std::fflush(stdout);
  int n = 0;
  errno = 0;
  const char* line = el_gets(s.el, &n);
  const bool interrupted = !line && errno == EINTR;
  std::fputs(kDoNotMarkPastes, stdout);
  if (!line || n <= 0) std::fputs("\n", stdout);
  std::fflush(stdout);
  if (interrupted) {
    el_reset(s.el);
    return {.kind = InputLine::Kind::kInterrupted};
  }
  if (!line || n <= 0) return {.kind = InputLine::Kind::kEnd};
  std::string text(line, static_cast<size_t>(n));
  if (text.ends_with('\n')) text.pop_back();
  return {.text = std::move(text)};
}

// Saved at once: the program may end by a signal.
void LineInput::remember(const std::string& text) {
  State& s = *state_;
  history(s.history, &s.event, H_ENTER, text.c_str());
  if (s.file.empty()) return;
  const mode_t before = umask(S_IRWXG | S_IRWXO);
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(s.file).parent_path(), error);
  if (history(s.history, &s.event, H_SAVE, s.file.c_str()) < 0) {
    log(LogLevel::kWarn, "cannot write the history {}; --no-history goes without", s.file);
    s.file.clear();
  } else {
    chmod(s.file.c_str(), S_IRUSR | S_IWUSR);
  }
  umask(before);
}

std::string default_history_file() {
  const auto dir = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value && *value == '/' ? value : "");
  };
  if (const std::string state = dir("XDG_STATE_HOME"); !state.empty()) return state + "/skald/history";
  const std::string home = dir("HOME");
  return home.empty() ? "" : home + "/.local/state/skald/history";
}

}  // namespace skald
