#include "models/parts/alt_up.h"

#include "base/error.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/mean.h"
#include "models/parts/norms.h"

namespace skald {
namespace {

Tensor mean_square(Tensor x) { return mean(x * x); }

}  // namespace

AltUp::AltUp(const MetaView& m, const DecoderParams& p)
    : n_(m.in_range("altup.num_inputs", 1, 64)),
      active_(m.has("altup.active_idx") ? m.in_range("altup.active_idx", 0, n_ - 1) : 0),
      eps_(p.eps) {
  // The other streams come of the first in the model's code, whichever is active.
  if (active_ != 0) fail(Errc::kUnsupported, "key {}: want 0, file has {}", m.full("altup.active_idx"), active_);
}

// Each stream by a matrix of its own, as long as `like`.
Streams AltUp::projected(Net& net, const std::string& name, const Streams& x, Tensor like) const {
  const int64_t d = like.cols();
  Tensor all = x.front();
  for (size_t i = 1; i < x.size(); ++i) all = net.join_heads(all, x[i], 1);
  all = net.head_linear(name, all, std::ssize(x), d);
  const Tensor length = root(mean_square(like));
  Streams out;
  for (int64_t i = 0; i < std::ssize(x); ++i) {
    const Tensor y = net.columns(all, i * d, d);
    out.push_back(y * (length * rsqrt(mean_square(y), kTinySquare)));
  }
  return out;
}

Streams AltUp::split(Net& net, Tensor x) const {
  Streams out = {x};
  if (n_ == 1) return out;
  const Streams others = projected(net, "altup_proj", Streams(static_cast<size_t>(n_ - 1), x), x);
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

Tensor AltUp::merge(Net& net, const Streams& x) const {
  Tensor sum = x.front();
  if (n_ == 1) return sum;
  for (const Tensor& y : projected(net, "altup_unembd_proj", Streams(x.begin() + 1, x.end()), x.front())) sum = sum + y;
  return scale(sum, 1.0f / static_cast<float>(n_));
}

Tensor AltUp::router(Net& blk, Tensor x) const {
  const Tensor h = scale(blk.rms_norm("altup_router_norm", x, eps_), 1.0f / static_cast<float>(x.cols()));
  return softcap(blk.linear("altup_router", h, n_), 1);  // (tokens, n); the hyperbolic tangent
}

Streams AltUp::predict(Net& blk, const Streams& x) const {
  const Tensor shares = blk.linear("altup_predict_coef", router(blk, x[active()]), n_ * n_);
  Streams out;
  for (int64_t to = 0; to < n_; ++to) {
    Tensor sum = x[static_cast<size_t>(to)];
    for (int64_t from = 0; from < n_; ++from)
      sum = sum + x[static_cast<size_t>(from)] * blk.columns(shares, to * n_ + from, 1);
    out.push_back(sum);
  }
  return out;
}

Streams AltUp::correct(Net& blk, const Streams& predicted, Tensor found) const {
  const Tensor shares = blk.linear("altup_correct_coef", router(blk, found), n_);
  const Tensor news = found + scale(predicted[active()], -1);
  Streams out;
  for (int64_t i = 0; i < n_; ++i)
    out.push_back(predicted[static_cast<size_t>(i)] + news + news * blk.columns(shares, i, 1));
  return out;
}

}  // namespace skald
