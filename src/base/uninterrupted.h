// Uninterrupted: work that holds a lock, or makes data that others wait for, and has no points as long as it does.
#pragma once

#include "base/interruption.h"

namespace skald {

class Uninterrupted {
 private:
  struct Unheard final : Interruption::Watcher {
    void at_point() override {}
    void before_memory(int64_t) override {}
  };
  Unheard watcher_;
  Interruption innermost_{watcher_};
};

}  // namespace skald
