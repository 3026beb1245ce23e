// EngineOn: an engine on a backend that the test chooses.
#pragma once

#include <memory>
#include <utility>

#include "engine/engine_thread.h"
#include "tests/engine/requests.h"
#include "tests/support/faulting_cpu.h"

namespace skald::test {

class EngineOn : public EngineThread {
 public:
  using EngineThread::EngineThread;
  Result generate(Request request) {
    Submission submission = submit(std::move(request));
    return wait_for(submission.result);
  }
};

}  // namespace skald::test
