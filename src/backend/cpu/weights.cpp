#include "backend/cpu/weights.h"

#include <algorithm>

#include "backend/cpu/packing.h"
#include "base/cpu_features.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/memory_lock.h"
#include "base/paging.h"
#include "graph/row_tables.h"

namespace skald {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::ptrdiff_t kGap = 4096;  // between tensors of one file there is padding: less than a page

// Neighbours as one piece.
std::vector<Bytes> merged(std::vector<Bytes> all) {
  std::vector<Bytes> out;
  std::ranges::sort(all, std::less<>(), &Bytes::data);
  for (const Bytes& piece : all) {
    if (out.empty() || piece.data() - (out.back().data() + out.back().size()) >= kGap) {
      out.push_back(piece);
      continue;
    }
    const std::byte* const end = std::max(out.back().data() + out.back().size(), piece.data() + piece.size());
    out.back() = {out.back().data(), end};
  }
  return out;
}

int64_t bytes_of(const std::vector<PackJob>& jobs) {
  int64_t sum = 0;
  for (const PackJob& job : jobs) sum += job.desc.bytes();
  return sum;
}

std::vector<PackJob> jobs_of(const Graph& graph, const WeightSource& source) {
  std::vector<PackJob> jobs = pack_jobs(graph, [&](std::string_view name) { return source.in_panels(name); });
  const int64_t total = bytes_of(jobs);
  if (!source.in_file() || total <= available_memory()) return jobs;
  log(LogLevel::kWarn, "{} MiB of weights do not fit into memory repacked: they are used as they lie, which is slower",
      total >> 20);
  return {};
}

}  // namespace

// Weights that are packed are taken one after the other: a source may have to make their rows.
CpuWeights::CpuWeights(const Graph& graph, const WeightSource& source, bool repack, const OnProgress& on_progress) {
  const std::vector<PackJob> jobs = repack ? jobs_of(graph, source) : std::vector<PackJob>();
  std::vector<bool> is_packed(static_cast<size_t>(graph.size()));
  for (const PackJob& job : jobs) is_packed[static_cast<size_t>(job.node)] = true;
  for (int id = 0; id < graph.size(); ++id)
    if (graph.node(id).source == Source::kWeight && !is_packed[static_cast<size_t>(id)]) take(graph.node(id), source);
  pack(jobs, graph, source, on_progress);
  if (!source.in_file()) return;
  for (const int id : row_tables(graph))
    if (const std::span<const std::byte> rows = weights_.at(graph.node(id).name).rows; !rows.empty())
      expect_single_pages(rows);
}

void CpuWeights::take(const Node& node, const WeightSource& source) {
  const WeightPlace place = source.place(node.name);
  const TensorDesc desc = node.out.tensor();
  Weight& w = weights_[node.name];
  w.in_panels = place.panels != nullptr;
  const int64_t bytes = w.in_panels ? find_panels(*desc.format)->bytes(desc.shape) : desc.bytes();
  w.rows = {w.in_panels ? place.panels : place.rows, static_cast<size_t>(bytes)};
}

void CpuWeights::pack(const std::vector<PackJob>& jobs, const Graph& graph, const WeightSource& source,
                      const OnProgress& on_progress) {
  if (jobs.empty()) return;
  const int64_t total = bytes_of(jobs);
  ThreadPool pool(usable_cpus());
  int64_t done = 0;
  if (on_progress) on_progress(done, total);
  for (const PackJob& job : jobs) {
    take(graph.node(job.node), source);
    Weight& w = weights_.at(job.name);
    w.panels = skald::pack(job, w.rows.data(), pool);
    if (!job.rows_needed) {
      source.release(job.name);
      w.rows = {};
    }
    done += job.desc.bytes();
    if (on_progress) on_progress(done, total);
  }
}

WeightPlace CpuWeights::place(std::string_view name) const {
  const auto it = weights_.find(std::string(name));
  if (it == weights_.end()) fail(Errc::kInternal, "weight {} was not loaded", name);
  const Weight& w = it->second;
  if (w.in_panels) return {nullptr, w.rows.data()};
  return {w.rows.data(), w.panels.data()};
}

std::vector<Bytes> CpuWeights::pieces() const {
  std::vector<Bytes> out;
  for (const auto& [name, w] : weights_) {
    if (!w.rows.empty()) out.push_back(w.rows);
    if (w.panels.size()) out.emplace_back(w.panels.data(), static_cast<size_t>(w.panels.size()));
  }
  return out;
}

int64_t CpuWeights::bytes() const {
  int64_t sum = 0;
  for (const Bytes& piece : pieces()) sum += static_cast<int64_t>(piece.size());
  return sum;
}

void CpuWeights::lock() const {
  std::call_once(locked_, [this] {
    MemoryLock lock("the weights", bytes());
    for (const Bytes& piece : merged(pieces()))
      if (!lock.lock(piece)) return;
  });
}

}  // namespace skald
