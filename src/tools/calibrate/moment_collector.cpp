#include "tools/calibrate/moment_collector.h"

#include "base/error.h"
#include "graph/ops/kv_append.h"

namespace skald {
namespace {

// Row i of the sums of products, of vectors `step` floats apart.
void add_products(Moments& to, const float* x, int64_t step, int64_t n, int64_t i) {
  double* const out = to.products.data() + i * to.d;
  for (int64_t r = 0; r < n; ++r, x += step) {
    const auto by = static_cast<double>(x[i]);
    to.sums[static_cast<size_t>(i)] += by;
    for (int64_t j = i; j < to.d; ++j) out[j] += by * static_cast<double>(x[j]);
  }
}

}  // namespace

// x (rows, heads * d), whose heads are as many groups as there are sums. Each component's sums belong to one thread.
void MomentCollector::add(std::vector<Moments>& to, const TensorView& x, int64_t heads) {
  const int64_t d = x.cols() / heads, group = heads / std::ssize(to);
  for (Moments& m : to) m.n += x.rows() * group;
  pool_.dynamic(std::ssize(to) * d, [&](int64_t task, int) {
    const int64_t kv_head = task / d;
    for (int64_t head = kv_head * group; head < (kv_head + 1) * group; ++head)
      add_products(to[static_cast<size_t>(kv_head)], x.row(0) + head * d, x.row_step(), x.rows(), task % d);
  });
}

void MomentCollector::before(const Graph&, const Node& node, std::span<const TensorView> in) {
  constexpr std::string_view kKeys = "kv";  // what Net::cache() calls them in their layer
  if (in[0].rows() == 0) return;
  if (node.op == &op_kv_append && layer_of_name(node.name).size() + 1 + kKeys.size() == node.name.size()) {
    const auto& a = node.attrs.get<KvAppend>();
    const auto made = layers_.try_emplace(a.slot, Layer{node.name.substr(0, node.name.size() - kKeys.size())});
    Layer& layer = made.first->second;
    if (made.second)
      layer.keys = layer.queries =
          std::vector<Moments>(static_cast<size_t>(a.n_kv_heads), Moments(in[0].cols() / a.n_kv_heads));
    add(layer.keys, in[0], a.n_kv_heads);
  } else if (node.op == &op_attention) {
    const auto& a = node.attrs.get<Attention>();
    const auto layer = layers_.find(a.slot);
    if (layer == layers_.end()) return;
    layer->second.window = a.window;
    add(layer->second.queries, in[0], a.n_heads);
  }
}

}  // namespace skald
