#include "tools/quantize/quantize.h"

#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cpu_features.h"
#include "base/error.h"
#include "base/meta_overrides.h"
#include "base/thread_pool.h"
#include "io/gguf_format.h"
#include "io/printable.h"
#include "loading/calibration.h"
#include "tensor/finite.h"
#include "tools/quantize/importance.h"
#include "tools/quantize/row_encoder.h"
#include "tools/quantize/shard_writer.h"

namespace skald {
namespace {

// "q.gguf" and "q" are shards named "q-00001-of-00003.gguf".
std::string shard_prefix(const std::string& out) {
  constexpr std::string_view kEnding = ".gguf";
  return out.ends_with(kEnding) ? out.substr(0, out.size() - kEnding.size()) : out;
}

// The matrix with the weights that were asked for; nullopt where none is left.
std::optional<Imatrix> importances(const QuantizeJob& job) {
  if (job.imatrix.empty()) return std::nullopt;
  Imatrix out = read_imatrix(job.imatrix);
  choose_weights(out, job.include_weights, job.exclude_weights);
  if (out.entries.empty()) return std::nullopt;
  return out;
}

class Quantizing {
 public:
  Quantizing(const QuantizeJob& job, const QuantizeListener& listener)
      : job_(job),
        listener_(listener),
        overrides_(job.override_kv),
        file_(Gguf::open(job.in, FileBytes::How::kMap)),
        matrix_(importances(job)) {
    override_meta();
    take_calibration();
    QuantizeSpec spec = job.spec;
    spec.weighted = matrix_.has_value();
    plan_ = doing(job.in, [&] { return overrides_.reading([&] { return plan_quantize(file_, spec); }); });
    std::erase_if(plan_, [&](const TensorPlan& t) { return !stays(t); });
    for (const TensorPlan& t : plan_) count(t);
    if (calibration_) count(calibration_->tensors());
    if (job.keep_split) report_.files = std::ssize(file_.shards());
  }

  const QuantizeReport& run() {
    if (job_.out.empty()) {
      for (const TensorPlan& t : plan_) begin(t);
      return report_;
    }
    ThreadPool pool(job_.n_threads ? job_.n_threads : usable_cpus());
    report_.files > 1 ? write_shards(pool) : write_file(pool);
    return report_;
  }

 private:
  void take_calibration() {
    if (job_.calibration.empty()) return;
    if (job_.keep_split && file_.shards().size() > 1)
      fail(Errc::kBadInput, "a calibration goes with a model in one file, not with shards that are kept");
    calibration_ = open_calibration(job_.calibration);
    want_same_model(*calibration_, job_.calibration, ModelMark(file_));
  }

  // Of the model's tensors, those that the calibration does not replace.
  bool stays(const TensorPlan& t) const { return !calibration_ || !calibration_->find(t.tensor->name); }

  void override_meta() {
    for (const std::string_view key : {gguf::kSplitNo, gguf::kSplitCount, gguf::kSplitTensors})
      if (overrides_.has(key)) fail(Errc::kBadInput, "override of {}: its value follows from the files", key);
    overrides_.apply(file_.meta());
    overrides_.reading([&] { gguf::alignment(file_.meta(), Errc::kBadInput); });
  }

  void count(const TensorPlan& t) {
    const std::optional<Importance> importance = importance_of(t);
    report_.elements += t.tensor->shape.elements();
    report_.bytes_before += static_cast<int64_t>(t.tensor->data.size());
    report_.bytes += t.bytes();
    report_.changed += t.to ? 1 : 0;
    report_.fell_back += t.fell_back ? 1 : 0;
    report_.without_importance += matrix_ && t.to && !importance ? 1 : 0;
    const MixPart part = mix_part(t.tensor->name);
    const bool inner = part != MixPart::kOutput && part != MixPart::kTokenEmbedding;
    if (find_mix(job_.spec.type).name == "Q2_K_S" && t.to && t.to->name == "q2_k" && inner && !importance &&
        !job_.out.empty())
      fail(Errc::kBadInput, "tensor {}: Q2_K_S needs an importance matrix for it (quantize.imatrix)",
           printable(t.tensor->name));
  }

  void count(std::span<const GgufTensor> added) {
    for (const GgufTensor& t : added) {
      report_.elements += t.shape.elements();
      report_.bytes += std::ssize(t.data);
    }
  }

  std::optional<Importance> importance_of(const TensorPlan& t) const {
    if (!matrix_ || !t.to) return std::nullopt;
    return doing("tensor " + printable(t.tensor->name), [&] { return Importance::of(*matrix_, *t.tensor); });
  }

  void write_file(ThreadPool& pool) {
    file_.refuse_to_replace(job_.out);
    GgufWriter writer = writer_of(plan_, pool);
    if (calibration_)
      for (const GgufTensor& t : calibration_->tensors()) writer.add_tensor(t.name, t.shape, t.type->id, t.data);
    writer.meta = meta();
    writer.write(job_.out);
  }

  void write_shards(ThreadPool& pool) {
    const gguf::ShardName name{shard_prefix(job_.out), 1, report_.files};
    for (int64_t i = 1; i <= name.count; ++i) file_.refuse_to_replace(name.path(i));
    ShardWriter out(name.prefix, file_.shards().size(), meta(), plan_.size());
    std::span<const TensorPlan> left = plan_;
    for (const Gguf::Shard& shard : file_.shards()) {
      out.write(writer_of(left.first(shard.tensors), pool));
      left = left.subspan(shard.tensors);
    }
    out.commit();
  }

  GgufWriter writer_of(std::span<const TensorPlan> tensors, ThreadPool& pool) {
    GgufWriter writer;
    for (const TensorPlan& t : tensors)
      writer.add_tensor(t.tensor->name, t.tensor->shape, t.type().id, [this, &t, &pool](const TakeBytes& take) {
        begin(t);
        if (t.to)
          give_converted(t, pool, take);
        else
          give_copy(t, take);
        file_.give_back(*t.tensor);
      });
    return writer;
  }

  void give_copy(const TensorPlan& t, const TakeBytes& take) {
    if (const Format* format = format_of(*t.tensor->type))
      want_finite(printable(t.tensor->name), *format, t.tensor->data, t.tensor->shape.back());
    take(t.tensor->data);
    done(t.bytes());
  }

  void give_converted(const TensorPlan& t, ThreadPool& pool, const TakeBytes& take) {
    const std::optional<Importance> importance = importance_of(t);
    const Format& from = *format_of(*t.tensor->type);
    const int64_t columns = t.tensor->shape.back();
    RowSource rows{.tensor = t.tensor->name, .rows = t.tensor->shape.rows(), .columns = columns, .read = {}};
    rows.read = [&](int64_t row, float* out) {
      from.decode(t.tensor->data.data() + row * from.bytes(columns), out, columns);
    };
    if (importance) rows.importance = [&](int64_t row) { return importance->row(row); };
    give_encoded(rows, *t.to, pool, take, [&](int64_t bytes) { done(bytes); });
  }

  void begin(const TensorPlan& t) const {
    if (listener_.tensor) listener_.tensor(t);
  }

  void done(int64_t bytes) {
    written_ += bytes;
    if (listener_.on_progress) listener_.on_progress(written_, report_.bytes);
  }

  Meta meta() const {
    Meta out = file_.meta();
    const QuantizeMix& mix = find_mix(job_.spec.type);
    out.set("general.quantization_version", uint32_t{2});
    if (mix.file_type >= 0) out.set("general.file_type", static_cast<uint32_t>(mix.file_type));
    if (matrix_) add_imatrix_keys(out, *matrix_);
    overrides_.apply(out);  // these keys too may be asked for
    return out;
  }

  void add_imatrix_keys(Meta& out, const Imatrix& matrix) const {
    out.set("quantize.imatrix.file", job_.imatrix);
    if (!matrix.datasets.empty()) out.set("quantize.imatrix.dataset", matrix.datasets.front());
    out.set("quantize.imatrix.entries_count", static_cast<uint32_t>(matrix.entries.size()));
    if (matrix.chunk_count > 0) out.set("quantize.imatrix.chunks_count", static_cast<uint32_t>(matrix.chunk_count));
  }

  const QuantizeJob& job_;
  const QuantizeListener& listener_;
  const MetaOverrides overrides_;
  Gguf file_;
  std::optional<Imatrix> matrix_;
  std::optional<Gguf> calibration_;
  std::vector<TensorPlan> plan_;
  QuantizeReport report_;
  int64_t written_ = 0;
};

}  // namespace

QuantizeReport quantize_file(const QuantizeJob& job, const QuantizeListener& listener) {
  return Quantizing(job, listener).run();
}

}  // namespace skald
