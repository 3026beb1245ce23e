#include "serve/load/load_row_run.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace skald::serve {
namespace {

constexpr int64_t kRequestsPerClient = 8, kRequestsByRate = 100;

double seconds_since(HttpClock::time_point then) { return std::chrono::duration<double>(HttpClock::now() - then).count(); }

std::chrono::milliseconds milliseconds_up(double seconds) {
  return std::chrono::milliseconds(std::llround(std::ceil(seconds * 1000)));
}

int64_t requests_of(const LoadOptions& o, const LoadRow& row) {
  if (o.requests || o.duration > 0) return o.requests;
  return row.open ? kRequestsByRate : kRequestsPerClient * static_cast<int64_t>(row.load);
}

}  // namespace

LoadRowRun::LoadRowRun(const LoadOptions& o, LoadRow row, int64_t first)
    : o_(o),
      row_(std::move(row)),
      next_(first),
      total_(requests_of(o, row_)),
      session_(o),
      arrivals_(row_.open ? row_.load : 1, o.burstiness, o.prompts.seed) {}

bool LoadRowRun::run() {
  begun_ = HttpClock::now();
  const bool whole = session_.run([this] { begin(); }, [this] { tell(); });
  row_.seconds = seconds_since(begun_);
  return whole;
}

void LoadRowRun::begin() {
  if (row_.open) return arrive(arrivals_.next());
  for (int64_t i = 0; i < static_cast<int64_t>(row_.load); ++i) send();
  end_if_over();
}

bool LoadRowRun::may_send() const {
  return (!total_ || sent_ < total_) && (o_.duration <= 0 || seconds_since(begun_) < o_.duration);
}

// All that are due by now, and the others at their time.
void LoadRowRun::arrive(double at) {
  for (; may_send(); at = arrivals_.next()) {
    const double now = seconds_since(begun_), wait = at - now;
    // A row ends in time, however late the next arrival is.
    const double left = o_.duration > 0 ? o_.duration - now : wait;
    if (wait > 0) return session_.loop().after(milliseconds_up(std::min(wait, left)), [this, at] { arrive(at); });
    send();
  }
  all_sent_ = true;
  end_if_over();
}

void LoadRowRun::send() {
  if (!may_send()) return;
  ++sent_;
  ++running_;
  session_.measure(o_.prompts.body(next_++), [this](LoadSample sample) {
    --running_;
    row_.samples.push_back(std::move(sample));
    if (!row_.open) send();
    end_if_over();
  });
}

void LoadRowRun::end_if_over() {
  if (running_ == 0 && (row_.open ? all_sent_ : !may_send())) session_.loop().stop();
}

void LoadRowRun::tell() const {
  if (o_.on_progress) o_.on_progress(row_, std::ssize(row_.samples), total_);
}

}  // namespace skald::serve
