#include <fmt/format.h>

#include "base/size_text.h"
#include "tools/doctor/advice.h"
#include "tools/report/table.h"

namespace skald {
namespace {

constexpr int64_t kMuchSwap = int64_t{64} << 20;

void advise_pages(const MemoryFacts& memory, std::vector<Advice>& out) {
  if (memory.huge_pages == "never")
    out.push_back({"memory", "Transparent huge pages are off: reading weights and cache misses the TLB more often.",
                   "As root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"});
}

void advise_swap(const MemoryFacts& memory, std::vector<Advice>& out) {
  if (memory.swap_used >= kMuchSwap)
    out.push_back({"memory",
                   fmt::format("{} are in the swap: memory was short, and may be again.", size_text(memory.swap_used)),
                   "End other programs, or keep the model in memory by --mlock."});
  if (memory.swap_total.value_or(0) > 0 && memory.lockable && *memory.lockable < memory.total / 2)
    out.push_back({"memory", fmt::format("--mlock can keep {} only.", size_text(*memory.lockable)),
                   "Raise the limit: ulimit -l unlimited, or systemd's LimitMEMLOCK=infinity."});
}

// A quarter less than the system has is no accident of the moment.
void advise_group(const MemoryFacts& memory, std::vector<Advice>& out) {
  if (memory.group_room && *memory.group_room < memory.available / 4 * 3)
    out.push_back({"memory",
                   fmt::format("Control groups leave this process {} of the {} that are available.",
                               size_text(*memory.group_room), size_text(memory.available)),
                   "Raise the limit: docker run --memory, systemd's MemoryMax=, or limits.memory of a pod."});
}

void advise_model(const MemoryFacts& memory, const ModelChoice& model, std::vector<Advice>& out) {
  const std::string there = size_text(memory.usable());
  if (model.streams)
    out.push_back({"memory",
                   fmt::format("The weights of {} take {}, and there are {}: they come from the disk again and again.",
                               model.name, size_text(model.weight_bytes), there),
                   "Take a smaller type (skald quantize) or a smaller model."});
  if (!model.context)
    out.push_back({"memory", fmt::format("No useful context of {} fits into {}.", model.name, there),
                   "Take a smaller model, or -ct small."});
  else if (model.context < model.trained && model.small_context > model.context)
    out.push_back(
        {"memory",
         fmt::format("A context of {} of the model's {} tokens fits into {}.", in_thousands(model.context),
                     in_thousands(model.trained), there),
         fmt::format("-ct small stores keys and values smaller: {} tokens fit.", in_thousands(model.small_context))});
}

}  // namespace

void advise_memory(const MemoryFacts& memory, const MachineChoice& choice, std::vector<Advice>& out) {
  advise_pages(memory, out);
  advise_swap(memory, out);
  advise_group(memory, out);
  if (choice.model) advise_model(memory, *choice.model, out);
  if (choice.models.empty())
    out.push_back({"memory",
                   fmt::format("{} hold none of the usual models with a context of {} tokens.", size_text(memory.usable()),
                               in_thousands(choice.context)),
                   "End other programs, or take a shorter context by -c."});
}

}  // namespace skald
