#include "cli/terminal/confirm.h"

#include <unistd.h>

#include <iostream>

#include "base/lowercase.h"
#include "base/terminal_text.h"
#include "cli/terminal/tell.h"

namespace skald {

bool confirmed(const std::string& question) {
  say("{} [y/N] ", terminal_text(question, /*lines=*/true));
  std::string answer;
  std::getline(std::cin, answer);
  if (!can_ask()) say("\n");
  const std::string word = lowercase(answer);
  return word == "y" || word == "yes";
}

bool can_ask() { return isatty(STDIN_FILENO) && isatty(STDERR_FILENO); }

}  // namespace skald
