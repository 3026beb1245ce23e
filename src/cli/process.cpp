#include "cli/process.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "base/mapped_file.h"
#include "base/unfinished_files.h"

namespace skald {
namespace {

constexpr int kError = 1;

void open_standard_descriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) < 0)
      ::_exit(kError);  // open() takes the lowest that is free
}

void say(const char* text) {
  if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) return;  // stderr has no reader
}

// Only calls that are safe in a handler of signals.
void on_bus_error(int number, siginfo_t* info, void*) {
  const char* const path = mapped_file_at(info->si_addr);
  if (!path) {  // another fault: as usual
    std::signal(number, SIG_DFL);
    std::raise(number);
    return;
  }
  remove_unfinished_files();
  say("\nskald: ");
  say(path);
  say(": the file was cut short or changed while it was in use (SIGBUS)\n");
  ::_exit(kError);
}

// Those that end a program by themselves.
constexpr int kEnding[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,   SIGPIPE, SIGALRM,
                           SIGXCPU, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF};

// One that the parent has us ignore (nohup) stays ignored.
void clean_up_at(int number) {
  struct sigaction action = {};
  if (sigaction(number, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) return;
  action.sa_handler = end_by_signal;
  sigaction(number, &action, nullptr);
}

}  // namespace

void end_by_signal(int number) {
  remove_unfinished_files();
  std::signal(number, SIG_DFL);
  std::raise(number);  // takes effect when the handler returns
}

void prepare_process() {
  open_standard_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int number : kEnding) clean_up_at(number);
  struct sigaction action = {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace skald
