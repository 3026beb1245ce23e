// Net: the words that model files are written in. Declares weights where they are used and names them after their place.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "graph/ops/activation.h"
#include "graph/ops/attention.h"
#include "graph/ops/choose_experts.h"
#include "graph/ops/delta_net.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/glu.h"
#include "graph/ops/linear.h"
#include "graph/ops/log_temperature.h"
#include "graph/ops/rope.h"
#include "graph/ops/rope_table.h"
#include "graph/ops/weigh_experts.h"
#include "graph/step_capacity.h"

namespace skald {

/// What a model file's tensors are; nullopt for one that is not there. `want` is the shape that the model needs, null where
/// it only asks whether the tensor is there or what it is; a source that makes weights up gives what is wanted.
using WeightLookup = std::function<std::optional<TensorDesc>(std::string_view name, const Shape* want)>;

/// Whether a linear layer has a bias: where the file has one, or always.
enum class Bias : uint8_t { kIfPresent, kRequired };

/// A rotary embedding as a model states it: the frequencies and how values pair up.
struct RopeSpec {
  RopeTable table = {};
  RopePairs pairs = RopePairs::kInterleaved;
  Tensor divisors = {};  // (dims / 2): they divide the frequencies; no graph: none
  int64_t first = 0;     // value of a head that is rotated
};

class Net {
 public:
  Net(Graph& graph, WeightLookup lookup, StepCapacity capacity);
  /// Of a graph that no tokens go into: what it reads is given_rows().
  Net(Graph& graph, WeightLookup lookup) : graph_(&graph), lookup_(std::move(lookup)) {}

  /// The same net inside layer i: weight names become blk.<i>.*, or <stack>.blk.<i>.*
  Net layer_at(int64_t i, std::string_view stack = {}) const;

  Tensor embed(const std::string& name, int64_t n_vocab, int64_t d_model);  // -> (tokens, d_model)
  /// A learned vector for each position, from a table (n, d_model) of the file; throws kBadInput where the context is
  /// longer.
  Tensor embed_positions(const std::string& name, int64_t d_model);  // -> (tokens, d_model)
  /// x plus a learned vector for each token's place in a pair of texts, from a table (n, d_model): its row 0 for the first
  /// text and row 1, where there is one, for the second.
  Tensor add_token_types(const std::string& name, Tensor x);  // as x
  /// Norms over rows, or over each of `parts` equal parts of a row (heads) with one weight (n / parts) for all; -> as x.
  Tensor rms_norm(const std::string& name, Tensor x, float eps, int64_t parts = 1);
  Tensor layer_norm(const std::string& name, Tensor x, float eps, int64_t parts = 1);  // has a bias where the file has one
  Tensor rms_norm_by(Tensor w, Tensor x, float eps);                                   // by a vector (n)
  /// Likewise, with weights (parts, n / parts) of their own and no bias.
  Tensor rms_norm_parts(const std::string& name, Tensor x, float eps, int64_t parts);
  Tensor layer_norm_parts(const std::string& name, Tensor x, float eps, int64_t parts);
  /// x times the weight's rows, and, where the file has them, times name.scale and plus name.bias.
  Tensor linear(const std::string& name, Tensor x, int64_t n, Bias bias = Bias::kIfPresent);  // -> (rows, n)
  /// What linear() gives for each of these, in one pass over x.
  struct Projection {
    std::string name;
    int64_t n;  // columns
  };
  std::vector<Tensor> linears(std::initializer_list<Projection> parts, Tensor x, Bias bias = Bias::kIfPresent);
  Tensor columns(Tensor x, int64_t first, int64_t n);                      // -> (rows, n), without a copy
  Tensor head_columns(Tensor x, int64_t heads, int64_t first, int64_t n);  // -> (rows, heads * n)
  /// a's head followed by b's, for each head; `shared`: b is one for all.
  Tensor join_heads(Tensor a, Tensor b, int64_t heads, bool shared = false);
  /// Each head of x by a matrix of its own: -> (rows, heads * n).
  Tensor head_linear(const std::string& name, Tensor x, int64_t heads, int64_t n);
  /// f(gate(x)) * up(x), as one operation where neither has a bias or a scale.
  Tensor glu_linear(const std::string& gate, const std::string& up, Tensor x, int64_t n, Activation f);  // -> (rows, n)
  Tensor rope(Tensor x, int64_t d_head, const RopeSpec& rope);                                           // as x
  /// Positions of two kinds: `rope` turns the first half of each head by the place in the sequence's prefix, after which
  /// all tokens count as its last one, and the second half by the place after it (GLM, arXiv 2103.10360, section 2.2); as
  /// x.
  Tensor prefix_rope(Tensor x, int64_t d_head, const RopeSpec& rope);
  /// x times what log_temperature says for each token's position; as x.
  Tensor temper(Tensor x, const LogTemperature& temperature);
  /// Appends k and v to this layer's cache, or to the window of a static graph, and attends to it: -> (tokens, n_heads *
  /// d_v). The sink logits are the weight attn_sinks; `biases`: by distance, no graph: none.
  Tensor attention(Tensor q, Tensor k, Tensor v, const Attention& a, Tensor biases = {}) {
    return attention(q, cache(k, v, a), a, {.biases = biases});
  }
  /// The same in two: several layers may attend to what one of them keeps.
  struct Window {
    Tensor rows, scale;  // (heads, past + tokens, d); no scale for floats
  };
  /// The components in which an index holds keys (n_kv_heads, d_k, d_k), and in which queries meet them; no graph: none.
  struct IndexBasis {
    Tensor keys = {}, queries = {};
  };
  struct Cached {
    int32_t slot = 0;
    Tensor appended = {};           // of a cache
    Window keys = {}, values = {};  // of a static graph
    IndexBasis basis = {};          // of a cache with an index
  };
  Cached cache(Tensor k, Tensor v, const Attention& a);
  /// Keys without values, one head's, which `heads` heads of queries meet.
  Cached cache_keys(Tensor k, int64_t heads);
  /// Of an indexer's queries (tokens, heads * d) and weights (tokens, heads): the keys that each row attends to, at most
  /// `most`, for Attention::chosen. Throws kUnsupported in a static graph and where rows may read few keys only.
  Tensor choose_keys(Tensor q, Tensor weights, const Cached& keys, int64_t most);
  struct MoreOfAttention {
    Tensor biases = {};  // by distance; no graph: none
    Tensor chosen = {};  // what choose_keys() gave, where rows attend to a.chosen keys at most
  };
  Tensor attention(Tensor q, const Cached& cached, Attention a, const MoreOfAttention& more);
  Tensor attention(Tensor q, const Cached& cached, const Attention& a) { return attention(q, cached, a, {}); }
  /// Attention's biases by distance, from the table (buckets, n_heads) of this layer: -> (n_heads, distances).
  Tensor distance_biases(const std::string& name, int64_t buckets, int64_t n_heads);
  /// A convolution of each channel over the last `taps` tokens, with weights name.weight (n, taps) and, where the file has
  /// it, name.bias; as x.
  Tensor causal_conv(const std::string& name, Tensor x, int64_t taps, bool silu = false);
  /// Mamba 2's scan of x (tokens, heads * d) by B and C (tokens, groups * state) and dt (tokens, heads), with the weights
  /// ssm_a and ssm_d (heads); as x.
  Tensor state_space(Tensor x, Tensor b, Tensor c, Tensor dt, int64_t heads, int64_t groups);
  /// The gated delta rule of q, k (tokens, key heads * d_k), v (tokens, heads * d_v), decays g and shares beta, as
  /// delta_net.h has them, with the weight ssm_a (heads); as v. The slot is `a`'s to be filled in.
  Tensor delta_net(Tensor q, Tensor k, Tensor v, Tensor g, Tensor beta, DeltaNet a);
  /// A slot for what an operation keeps between steps. Throws kUnsupported for a recurrent one in a static graph.
  int32_t add_state(const StateSpec& state);
  /// To be said before the first attention: tokens of a sequence before the first `token` see each other in both directions.
  void set_prefix_end(int32_t token) { graph_->prefix_end = token; }
  /// Likewise: all tokens of a sequence see each other.
  void see_all() { graph_->causal = false; }
  /// Ids of each token's experts, by the scores (tokens, experts) plus the weight `added`, where the file has one.
  Tensor choose_experts(Tensor scores, const ChooseExperts& choice, const std::string& added);  // -> (tokens, k)
  Tensor weigh_experts(Tensor scores, Tensor ids, const WeighExperts& weighing);                // -> (tokens, k)
  /// f(gate(x)) * up(x) of each token's experts: -> (tokens, k * n).
  Tensor expert_glu_linear(const std::string& gate, const std::string& up, Tensor x, Tensor ids, int64_t n_experts,
                           int64_t n, Activation f, Bias bias = Bias::kIfPresent);
  /// The weighted sum of down(h) of each token's experts: -> (tokens, n).
  Tensor mix_experts(const std::string& down, Tensor h, Tensor ids, Tensor weights, int64_t n_experts, int64_t n,
                     Bias bias = Bias::kIfPresent);
  /// Only the rows whose logits are wanted.
  Tensor output_rows(Tensor x);  // -> (outputs, n)
  /// Logits of the states after the last norm; a file without `name` ties them to the token embedding.
  Tensor unembed(const std::string& name, Tensor x, int64_t n_vocab);  // -> (outputs, n_vocab)
  /// The hidden row of the token before each token, which steps of a layer that looks ahead bring: -> (tokens, d_model).
  Tensor hidden_rows(int64_t d_model);
  /// Makes rows after a last norm those that steps give to such a layer; -> as x.
  Tensor hidden(Tensor x);
  bool gives_hidden() const { return capacity_.hidden; }
  int64_t ahead() const { return capacity_.ahead; }
  /// The states after the last norm, of models that give these and no logits; -> as x.
  Tensor states(Tensor x);
  /// Makes a model's last value one that steps give: logits, unless it is the states.
  void give(Tensor last);
  /// Rows that the caller of each step has the memory of (Graph::bound).
  Tensor given_rows(const std::string& name, int64_t rows, int64_t n);  // -> (outputs, n)

  /// A vector of the file, whatever layer this is; one of this layer.
  Tensor vector(const std::string& full_name, int64_t n);
  Tensor layer_vector(const std::string& name, int64_t n) { return vector(full(name), n); }
  /// Keys that a sequence may have; 0 while a graph is only looked at.
  int64_t max_keys() const { return capacity_.keys; }
  /// The shape that a weight has in the file; nullopt where it is not there.
  std::optional<Shape> shape_of(std::string_view name) const;
  /// Rows of a matrix of the file; throws kNotFound naming it.
  int64_t rows_of(std::string_view name) const;
  bool has_weight(std::string_view name) const { return lookup_(full(name), nullptr).has_value(); }

 private:
  std::string full(std::string_view name) const { return scope_ + std::string(name); }
  /// Declares a weight; throws kNotFound or kBadFile naming it when the file disagrees with `shape`.
  Tensor weight(std::string_view name, const Shape& shape);
  Tensor f32_weight(const std::string& full_name, const Shape& want, const Shape& seen_as);
  Tensor weight_once(const std::string& full_name, const TensorDesc& desc);
  /// y, the products of x with the weight `name`, times what the file has beside that: one number, name.scale (nvfp4, whose
  /// own scales have a small range). `name.input_scale` is about activations of four bits, which nothing here makes.
  Tensor scaled(Tensor y, const std::string& name);
  /// scaled(), with the bias.
  Tensor finished(Tensor y, const std::string& name, Bias bias);
  /// An int per token that the step brings, by a name of stepping/step_inputs; -> (tokens).
  Tensor token_input(const std::string& name) const;
  Tensor rope_table(const std::string& positions, const RopeSpec& rope);
  Tensor kept_queries(Tensor q);
  void check_order(const Attention& a) const;
  int32_t cache_slot(const Attention& a);
  IndexBasis index_basis(const Attention& a);
  Tensor paged_attention(Tensor q, const Cached& cached, const Attention& a, const MoreOfAttention& more);
  Tensor window_attention(Tensor q, const Window& keys, const Window& values, const Attention& a);
  /// A static graph binds, layer by layer: [scale,] past keys, new keys, [scale,] past values, new values; scales where
  /// these are integers.
  Window window(std::string_view what, Tensor x, int64_t heads);
  Tensor bind(Tensor t);

  Graph* graph_;
  WeightLookup lookup_;
  StepCapacity capacity_;
  std::string scope_;
};

}  // namespace skald
