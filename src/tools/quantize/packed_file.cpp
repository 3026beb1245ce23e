#include "tools/quantize/packed_file.h"

#include <memory>
#include <set>
#include <string>
#include <unordered_map>

#include "backend/cpu/packing.h"
#include "base/cpu_features.h"
#include "base/error.h"
#include "io/gguf.h"
#include "io/output_file.h"
#include "loading/loaded_model.h"

namespace skald {
namespace {

constexpr uint32_t kAlignment = 64;  // panels are made of cache lines

class Packing {
 public:
  Packing(const std::string& in, const OnProgress& on_progress)
      : file_(Gguf::open(in, FileBytes::How::kMap)),
        on_progress_(on_progress),
        pool_(usable_cpus()),
        model_(LoadedModel::from_gguf(Gguf::open(in, FileBytes::How::kMap), in)) {
    const auto in_panels = [&](std::string_view name) { return model_->weights().in_panels(name); };
    for (PackJob& job : pack_jobs(model_->build_graph({1, 1}), in_panels)) jobs_.emplace(job.name, std::move(job));
  }

  PackedFile write(const std::string& out) {
    GgufWriter writer;
    writer.meta = file_.meta();
    writer.meta.set("general.alignment", kAlignment);
    for (const GgufTensor& t : file_.tensors())
      if (model_->weights().weights.contains(t.name)) add(writer, t);
    add_made(writer);
    result_.bytes = writer.data_bytes();
    writer.write(out);
    return result_;
  }

 private:
  void add(GgufWriter& writer, const GgufTensor& t) {
    const auto it = jobs_.find(t.name);
    if (it == jobs_.end() || it->second.rows_needed) add_rows(writer, t);
    if (it != jobs_.end()) add_panels(writer, t, it->second);
  }

  // Weights that are parts of the file's tensors, or made of several (loading/layouts.h), instead of these.
  void add_made(GgufWriter& writer) {
    std::set<std::string> names;
    for (const auto& [name, w] : model_->weights().weights) names.insert(name);
    for (const GgufTensor& t : file_.tensors()) names.erase(t.name);
    for (const std::string& name : names) {
      const WeightSet::Weight& w = model_->weights().weights.at(name);
      const auto job = jobs_.find(name);
      ++result_.tensors;
      result_.packed += job != jobs_.end() ? 1 : 0;
      writer.add_tensor(name, w.shape, job != jobs_.end() ? job->second.layout->id : w.type->id,
                        [this, name, job, &w](const TakeBytes& take) {
                          const StepModel step = model_->step_model();
                          const std::byte* rows = step.weights->place(name).rows;
                          if (job != jobs_.end()) {
                            const Buffer panels = pack(job->second, rows, pool_);
                            take({panels.data(), static_cast<size_t>(panels.size())});
                            done(panels.size());
                          } else {
                            take({rows, static_cast<size_t>(w.bytes)});
                            done(w.bytes);
                          }
                          step.weights->release(name);
                        });
    }
  }

  void add_rows(GgufWriter& writer, const GgufTensor& t) {
    ++result_.tensors;
    result_.packed += t.type->panels ? 1 : 0;
    writer.add_tensor(t.name, t.shape, t.type->id, [this, &t](const TakeBytes& take) {
      take(t.data);
      done(static_cast<int64_t>(t.data.size()));
    });
  }

  void add_panels(GgufWriter& writer, const GgufTensor& t, const PackJob& job) {
    ++result_.tensors;
    ++result_.packed;
    // Beside its rows, a weight goes by the name of the matmul that reads it: models look there first.
    const std::string name = job.rows_needed ? job.matmul + ".weight" : t.name;
    writer.add_tensor(name, t.shape, job.layout->id, [this, &t, &job](const TakeBytes& take) {
      const Buffer panels = pack(job, t.data.data(), pool_);
      file_.give_back(t);
      take({panels.data(), static_cast<size_t>(panels.size())});
      done(panels.size());
    });
  }

  void done(int64_t bytes) {
    written_ += bytes;
    if (on_progress_) on_progress_(written_, result_.bytes);
  }

  Gguf file_;
  const OnProgress& on_progress_;
  ThreadPool pool_;
  std::shared_ptr<const LoadedModel> model_;
  std::unordered_map<std::string, PackJob> jobs_;
  PackedFile result_;
  int64_t written_ = 0;
};

}  // namespace

PackedFile write_packed_file(const std::string& in, const std::string& out, const OnProgress& on_progress) {
  if (same_file(in, out)) fail(Errc::kBadInput, "{} and {} are one file: it cannot be read while it is written", in, out);
  return Packing(in, on_progress).write(out);
}

}  // namespace skald
