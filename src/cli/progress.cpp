#include "cli/progress.h"

#include <fmt/format.h>

#include "cli/common_flags.h"
#include "cli/interrupt.h"

namespace skald {
bool unless_interrupted(const std::function<void(const std::function<void()>& check)>& work) {
  catch_interrupts();
  try {
    work(throw_if_interrupted);
  } catch (const Interrupted&) {
    end_progress();
    return false;
  }
  end_progress();
  return true;
}

bool with_write_progress(const std::string& out, const std::function<void(const OnShare&)>& write) {
  return unless_interrupted([&](const std::function<void()>& check) {
    write([&](double share) {
      check();
      show_progress(fmt::format("writing {}: {:.0f} %", out, 100 * share));
    });
  });
}

}  // namespace skald
