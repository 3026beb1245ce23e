// JoiningThread: std::jthread without its stop token, which libc++ has only from version 18 on, and as an experiment.
#pragma once

#include <thread>

namespace skald::test {

class JoiningThread : public std::thread {
 public:
  using std::thread::thread;
  JoiningThread(JoiningThread&&) = default;
  JoiningThread& operator=(JoiningThread&&) = delete;
  ~JoiningThread() {
    if (joinable()) join();
  }
};

}  // namespace skald::test
