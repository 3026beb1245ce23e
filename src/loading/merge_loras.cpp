#include "loading/merge_loras.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "adapters/merge.h"
#include "base/cpu_features.h"
#include "base/error.h"
#include "base/log.h"
#include "base/thread_pool.h"
#include "graph/sites.h"
#include "loading/load_adapter.h"
#include "quant/encoder.h"
#include "quant/registry.h"

namespace skald {
namespace {

class Merging {
 public:
  Merging(const LoadedModel& model, WeightStore& store) : model_(model), store_(store), pool_(usable_cpus()) {}

  void take(const LoraFile& file) {
    adapters_.push_back(load_adapter_to_merge(model_, file));
    for (const auto& [name, change] : adapters_.back()->changes) changes_[name].emplace_back(&change, file.scale);
  }

  void run(const OnProgress& on_progress) {
    untie();
    int64_t total = 0, done = 0;
    for (const auto& [name, changes] : changes_) total += bytes_of(name);
    for (const auto& [name, changes] : changes_) {
      merge(name, changes);
      done += bytes_of(name);
      if (on_progress) on_progress(done, total);
    }
  }

 private:
  using Changes = std::vector<std::pair<const LowRank*, float>>;

  bool has(const char* name) const { return store_.weights().find(name).has_value(); }
  int64_t bytes_of(const std::string& name) const { return store_.weights().find(name)->bytes(); }

  // A table that is the output too becomes two: an adapter changes one of them.
  void untie() {
    if (has(kOutputMatrix) || !sites_of(model_.build_graph({1, 1})).contains(kOutputMatrix)) return;
    if (!changes_.contains(kTokenTable) && !changes_.contains(kOutputMatrix)) return;
    const TensorDesc desc = *store_.weights().find(kTokenTable);
    Buffer copy(desc.bytes());
    std::copy_n(store_.rows(kTokenTable), desc.bytes(), copy.data());
    store_.replace(kOutputMatrix, desc, std::move(copy));
  }

  void merge(const std::string& name, const Changes& changes) {
    const TensorDesc from = *store_.weights().find(name);
    const Format& to = has_encoder(*from.format) ? *from.format : *find_format("f16");
    if (&to != from.format) log(LogLevel::kInfo, "tensor {}: {} becomes {}", name, from.format->name, to.name);
    const int64_t columns = from.shape.back();
    std::vector<ChangeRows> rows;
    for (const auto& [change, scale] : changes) rows.emplace_back(*change, from.shape, scale, name == kTokenTable);
    const TensorDesc desc{&to, from.shape};
    Buffer out(desc.bytes());
    const std::byte* const old = store_.rows(name);
    pool_.guided(from.shape.rows(), 1, [&](int64_t begin, int64_t end, int) {
      std::vector<float> row(static_cast<size_t>(columns));
      for (; begin < end; ++begin) {
        from.format->decode(old + begin * from.row_bytes(), row.data(), columns);
        for (const ChangeRows& change : rows) change.add(begin, row.data());
        encode_weights(to, row.data(), nullptr, out.data() + begin * desc.row_bytes(), columns);
      }
    });
    store_.replace(name, desc, std::move(out));
  }

  const LoadedModel& model_;
  WeightStore& store_;
  ThreadPool pool_;
  std::vector<std::shared_ptr<const Adapter>> adapters_;
  std::map<std::string, Changes> changes_;
};

}  // namespace

void merge_loras(const LoadedModel& model, WeightStore& store, std::span<const LoraFile> files,
                 const OnProgress& on_progress) {
  Merging merging(model, store);
  for (const LoraFile& file : files) merging.take(file);
  merging.run(on_progress);
}

}  // namespace skald
