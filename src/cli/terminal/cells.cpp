#include "cli/terminal/cells.h"

#include <clocale>
#include <cwchar>

namespace skald {

void use_utf8() { std::setlocale(LC_CTYPE, "C.UTF-8"); }

// The library knows no width of code points that its tables lack: terminals show a box of one cell.
int cells_of(uint32_t code_point) {
  const int cells = wcwidth(static_cast<wchar_t>(code_point));
  return cells < 0 ? 1 : cells;
}

}  // namespace skald
