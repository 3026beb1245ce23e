#include "hub/retry.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "base/error.h"

namespace skald {

std::function<void(double)> wait_with(std::function<void()> check) {
  return [check = std::move(check)](double seconds) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    for (auto now = Clock::now(); now < end; now = Clock::now()) {
      if (check) check();
      std::this_thread::sleep_for(std::min<Clock::duration>(end - now, std::chrono::milliseconds(100)));
    }
  };
}

void Tries::failed(const HttpFailure& failure) {
  if (++made_ >= retries_.tries) fail(Errc::kDevice, "{} (tried {} times)", failure.what(), made_);
  const double asked = failure.retry_after().value_or(0);
  if (asked > retries_.longest_wait)
    fail(Errc::kDevice, "{}; it asks to wait for {:.0f} s: try again then", failure.what(), asked);
  const double seconds = std::max(retries_.first_wait * std::exp2(made_ - 1), asked);
  if (retries_.say) retries_.say(fmt::format("{}: trying again in {:.0f} s", failure.what(), seconds));
  retries_.wait(seconds);
}

}  // namespace skald
