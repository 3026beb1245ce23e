#include "graph/ops/attention_mask.h"

#include <cmath>
#include <limits>

#include "backend/cpu/attention/job.h"
#include "backend/cpu/attention/rows.h"
#include "backend/cpu/ops/rowwise.h"
#include "graph/ops/attention_scores.h"

namespace skald {
namespace {

// Keys [begin, end) of one head, `distance` being the row's position less that of slot 0.
void adjust(const Attention& a, float slope, int64_t begin, int64_t end, int64_t distance, const float* x, float* y) {
  for (int64_t slot = begin; slot < end; ++slot) {
    float s = x[slot] * a.scale;
    if (a.softcap > 0) s = a.softcap * std::tanh(s / a.softcap);
    y[slot] = s + slope * static_cast<float>(slot - distance);
  }
}

// Scores of all but the chosen keys become -inf, where the row sees more than these.
void leave_chosen(const Candidates& candidates, const int32_t* keys, int64_t n, float* y) {
  for (int64_t i = 0, next = 0; n < candidates.n && i < candidates.n; ++i) {
    if (next < n && keys[next] == i)
      ++next;
    else
      y[candidates.slot(i)] = -std::numeric_limits<float>::infinity();
  }
}

void run(CpuContext& cx, const Attention& a, const OpArgs& io) {
  const int64_t slots = attention_slots(a);
  AttentionJob job{.kernels = cx.kernels, .a = a};
  job.positions = cx.step->positions;
  job.rows = rows_of(a, io);
  if (a.biases) job.biases = DistanceBiases(io.in[1]);
  const int32_t* const chosen = a.chosen ? io.in[a.chosen_input(io.in.size())].as<int32_t>() : nullptr;
  for_rows(cx, io.out.rows(), io.out.cols(), [&](int64_t row) {
    const KvView& kv = cx.step->kv.of_row(a.slot, job.step_row(row));
    const SlotRange range = visible(job, kv, row);
    const int64_t kept = std::min(kv.kept, range.end), position = job.position(row);
    for (int64_t head = 0; head < a.n_heads; ++head) {
      const float* x = io.in[0].row(row) + head * slots;
      float* y = io.out.row(row) + head * slots;
      const float slope = a.slope(head);
      adjust(a, slope, 0, kept, position - kv.dropped, x, y);
      adjust(a, slope, range.begin, range.end, position - kv.shift, x, y);
      std::fill(y + kept, y + std::max(kept, range.begin), -std::numeric_limits<float>::infinity());
      std::fill(y + range.end, y + slots, -std::numeric_limits<float>::infinity());
      if (chosen) leave_chosen(candidates_of(job, kv, row), chosen + row * a.chosen, a.chosen, y);
      if (!a.biases) continue;
      job.biases.add(head, kv.dropped - position, kept, y);
      job.biases.add(head, range.begin + kv.shift - position, std::max<int64_t>(range.n(), 0), y + range.begin);
    }
  });
}

}  // namespace

extern const CpuOp cpu_attention_mask;
const CpuOp cpu_attention_mask = implement<Attention, run>(op_attention_mask);

}  // namespace skald
