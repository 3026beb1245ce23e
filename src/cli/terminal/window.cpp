#include "cli/terminal/window.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace skald {

int window_columns(int fd) {
  constexpr int kUsual = 80;
  if (isatty(fd) == 0) return 0;
  winsize size{};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

}  // namespace skald
