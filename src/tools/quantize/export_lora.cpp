#include "tools/quantize/export_lora.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "adapters/merge.h"
#include "base/cpu_features.h"
#include "base/error.h"
#include "base/lowercase.h"
#include "base/thread_pool.h"
#include "convert/hf_directory.h"
#include "graph/sites.h"
#include "io/gguf.h"
#include "io/printable.h"
#include "loading/load_adapter.h"
#include "loading/loaded_model.h"
#include "quant/encoder.h"
#include "quant/registry.h"
#include "tools/quantize/row_encoder.h"

namespace skald {
namespace {

const Format* type_named(const std::string& name) {
  if (name.empty()) return nullptr;
  const Format* const format = find_format(lowercase(name));
  if (!format || !has_encoder(*format)) fail(Errc::kBadInput, "no tensors can be made of type {}", skald::quoted(name));
  return format;
}

Gguf open_model(const std::string& path) {
  if (is_hf_directory(path))
    fail(Errc::kUnsupported, "{} is a folder, and changes go into files: make one of it by `skald convert`", path);
  return Gguf::open(path, FileBytes::How::kMap);
}

struct UsedAdapter {
  std::shared_ptr<const Adapter> adapter;
  float scale;
};

// A tensor of the new file: one of the model's, and its changes.
struct Merge {
  const GgufTensor* from;
  std::string name;
  std::vector<std::pair<const LowRank*, float>> changes = {};
  const Format* to = nullptr;  // none: it is copied

  const GgufType& type() const { return to ? *find_gguf_type(to->id) : *from->type; }
  int64_t bytes() const { return to ? to->bytes(from->shape.elements()) : std::ssize(from->data); }
};

class Exporting {
 public:
  Exporting(const ExportJob& job, const OnProgress& on_progress)
      : job_(job),
        on_progress_(on_progress),
        wanted_(type_named(job.type)),
        file_(open_model(job.model)),
        model_(LoadedModel::from_gguf(Gguf::open(job.model, FileBytes::How::kMap), job.model)),
        pool_(job.n_threads ? job.n_threads : usable_cpus()) {
    file_.refuse_to_replace(job.out);
    for (const LoraFile& file : job.adapters) adapters_.push_back({load_adapter_to_merge(*model_, file), file.scale});
    doing(job.model, [&] { plan(); });
  }

  ExportReport run() {
    GgufWriter writer;
    writer.meta = file_.meta();
    for (const Merge& m : plan_)
      writer.add_tensor(m.name, m.from->shape, m.type().id, [this, &m](const TakeBytes& take) { give(m, take); });
    writer.write(job_.out);
    return report_;
  }

 private:
  void plan() {
    for (const GgufTensor& t : file_.tensors()) plan_.push_back({&t, t.name});
    untie();
    for (const UsedAdapter& u : adapters_)
      for (const auto& [name, change] : u.adapter->changes) merge_of(name).changes.emplace_back(&change, u.scale);
    for (Merge& m : plan_) {
      if (!m.changes.empty()) m.to = &target_of(*m.from);
      ++report_.tensors;
      report_.changed += m.to ? 1 : 0;
      report_.bytes += m.bytes();
    }
  }

  // A change of the table alone would be one of the output too, and the other way round.
  void untie() {
    const auto changes = [](const UsedAdapter& u) {
      return u.adapter->changes.contains(kTokenTable) || u.adapter->changes.contains(kOutputMatrix);
    };
    const bool tied = !file_.find(kOutputMatrix) && sites_of(model_->build_graph({1, 1})).contains(kOutputMatrix);
    if (tied && std::ranges::any_of(adapters_, changes)) plan_.push_back({file_.find(kTokenTable), kOutputMatrix});
  }

  Merge& merge_of(const std::string& name) {
    const auto it = std::ranges::find(plan_, name, &Merge::name);
    if (it == plan_.end())
      fail(Errc::kUnsupported, "tensor {}: the file has its weights in other tensors, which are not changed",
           printable(name));
    return *it;
  }

  const Format& target_of(const GgufTensor& t) const {
    const Format* const own = format_of(*t.type);
    if (!own || !own->decode) fail(Errc::kUnsupported, "tensor {}: type {}", printable(t.name), t.type->name);
    const Format& to = wanted_ ? *wanted_ : *own;
    if (!has_encoder(to))
      fail(Errc::kUnsupported, "tensor {}: type {} can be read, but not made: want another one (--type)", printable(t.name),
           to.name);
    if (t.shape.back() % to.block)
      fail(Errc::kBadInput, "tensor {}: rows of {} are no whole blocks of {}", printable(t.name), t.shape.back(), to.name);
    return to;
  }

  void give(const Merge& m, const TakeBytes& take) {
    if (m.to)
      give_merged(m, take);
    else
      give_copy(m, take);
    file_.give_back(*m.from);
  }

  void give_copy(const Merge& m, const TakeBytes& take) {
    take(m.from->data);
    done(m.bytes());
  }

  void give_merged(const Merge& m, const TakeBytes& take) {
    const Format& from = *format_of(*m.from->type);
    const int64_t columns = m.from->shape.back();
    const std::vector<ChangeRows> changes = rows_of(m);
    RowSource rows{.tensor = m.name, .rows = m.from->shape.rows(), .columns = columns, .read = {}};
    rows.read = [&](int64_t row, float* out) {
      from.decode(m.from->data.data() + row * from.bytes(columns), out, columns);
      for (const ChangeRows& change : changes) change.add(row, out);
    };
    give_encoded(rows, *m.to, pool_, take, [&](int64_t bytes) { done(bytes); });
  }

  std::vector<ChangeRows> rows_of(const Merge& m) const {
    std::vector<ChangeRows> out;
    doing("tensor " + printable(m.name), [&] {
      for (const auto& [change, scale] : m.changes) out.emplace_back(*change, m.from->shape, scale, m.name == kTokenTable);
    });
    return out;
  }

  void done(int64_t bytes) {
    written_ += bytes;
    if (on_progress_) on_progress_(written_, report_.bytes);
  }

  const ExportJob& job_;
  const OnProgress& on_progress_;
  const Format* const wanted_;
  Gguf file_;
  std::shared_ptr<const LoadedModel> model_;
  std::vector<UsedAdapter> adapters_;
  std::vector<Merge> plan_;
  ThreadPool pool_;
  ExportReport report_;
  int64_t written_ = 0;
};

}  // namespace

ExportReport export_lora(const ExportJob& job, const OnProgress& on_progress) { return Exporting(job, on_progress).run(); }

}  // namespace skald
