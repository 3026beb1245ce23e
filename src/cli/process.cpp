#include "cli/process.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "base/mapped_file.h"
#include "tools/report/output_check.h"

namespace skald {
namespace {

constexpr int kError = 1;

void open_standard_descriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) < 0)
      ::_exit(kError);  // open() takes the lowest that is free
}

void say(const char* text) {
  if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) return;  // nobody is left to tell
}

// Only what is safe in a handler of signals.
void on_bus_error(int number, siginfo_t* info, void*) {
  const char* const path = mapped_file_at(info->si_addr);
  if (!path) {  // another fault: as usual
    std::signal(number, SIG_DFL);
    std::raise(number);
    return;
  }
  remove_outputs_at_exit();
  say("\nskald: ");
  say(path);
  say(": the file was cut short or changed while it was in use (SIGBUS)\n");
  ::_exit(kError);
}

}  // namespace

void prepare_process() {
  open_standard_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);
  struct sigaction action = {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace skald
