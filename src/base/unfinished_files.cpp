#include "base/unfinished_files.h"

#include <unistd.h>

#include "base/signal_paths.h"

namespace skald {
namespace {

SignalPaths g_unfinished;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): for handlers of signals

}  // namespace

void remember_unfinished(const void* owner, const std::string& path) { g_unfinished.add(owner, 0, path); }
void forget_unfinished(const void* owner) { g_unfinished.remove(owner); }
void remove_unfinished_files() {
  g_unfinished.for_each([](const char* path) { ::unlink(path); });
}

}  // namespace skald
