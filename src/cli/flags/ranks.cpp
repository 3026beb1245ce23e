#include "cli/flags/ranks.h"

#include <charconv>
#include <csignal>
#include <optional>
#include <string>
#include <utility>

#include "comm/mpi/mpi_group.h"
#include "loading/loaded_model.h"
#include "stepping/ranks.h"

namespace skald {
namespace {

// A process joins once: MPI cannot be begun again.
std::shared_ptr<MpiGroup> join(int timeout) {
  static const std::shared_ptr<MpiGroup> group = std::make_shared<MpiGroup>(std::chrono::seconds(timeout));
  return group;
}

// "--tensor-parallel auto", or both flags.
std::string asked(const DeviceOptions& o) {
  std::string out;
  if (!o.tensor_parallel.empty()) out = "--tensor-parallel " + o.tensor_parallel;
  if (o.pipeline_parallel > 1) out += fmt::format("{}--pipeline-parallel {}", out.empty() ? "" : " ", o.pipeline_parallel);
  return out;
}

// The ranks of a stage that are asked for; none: as many as there are.
std::optional<int> ranks_of_stage(const std::string& wanted) {
  if (wanted == "auto") return {};
  if (wanted.empty()) return 1;
  int n = 0;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), n);
  if (error != std::errc() || end != wanted.data() + wanted.size())
    throw UsageError(fmt::format("--tensor-parallel: want auto or a number, got '{}'", wanted));
  return n;
}

void want_as_many(const DeviceOptions& o, int ranks) {
  const std::optional<int> each = ranks_of_stage(o.tensor_parallel);
  if (ranks < 2)
    throw UsageError(asked(o) +
                     ": this process is alone: start it as mpirun -np N skald ..., by the mpirun of the MPI "
                     "library that is installed");
  const int stages = o.pipeline_parallel;
  if (!each && ranks % stages != 0)
    throw UsageError(fmt::format("{}: mpirun started {} processes: want as many for each stage", asked(o), ranks));
  if (each && *each * stages != ranks)
    throw UsageError(fmt::format("{}: mpirun started {} processes: want {}", asked(o), ranks, *each * stages));
}

// mpirun hands signals to all ranks: the first one decides when the others end.
void leave_signals_to_first() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
}

void follow_first(const ModelFlags& flags, const ComputeFlags& compute) {
  leave_signals_to_first();
  const EngineOptions options = compute.with(flags);
  const Model model = flags.load();
  follow_first_rank(*model.loaded(), options.device);
}

}  // namespace

std::shared_ptr<Group> joined_ranks(const DeviceOptions& options) {
  if (!options.on_ranks()) return {};
  std::shared_ptr<MpiGroup> group = join(options.rank_timeout);
  want_as_many(options, group->size());
  return group;
}

Action on_ranks(const ModelFlags& model, const ComputeFlags& compute, Action action) {
  return [&model, &compute, action = std::move(action)] {
    const std::shared_ptr<Group> group = joined_ranks(compute.options.device);
    if (!group) return action();
    if (group->rank() > 0) return follow_first(model, compute);
    try {
      action();
    } catch (...) {
      release_ranks(*group);
      throw;
    }
    release_ranks(*group);
  };
}

}  // namespace skald
