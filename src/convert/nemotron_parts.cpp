#include "convert/nemotron_parts.h"

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "convert/expert_keys.h"
#include "convert/layer_keys.h"
#include "convert/mamba_keys.h"
#include "convert/requirements.h"
#include "io/printable.h"

namespace skald {
namespace {

enum class Block : uint8_t { kMamba, kAttention, kFfn, kExperts };

Block block_of(const std::string& kind) {
  if (kind == "M" || kind == "mamba" || kind == "linear_attention") return Block::kMamba;
  if (kind == "*" || kind == "attention" || kind == "full_attention") return Block::kAttention;
  if (kind == "-" || kind == "mlp") return Block::kFfn;
  if (kind == "E" || kind == "moe") return Block::kExperts;
  fail(Errc::kUnsupported, "config.json: hybrid_override_pattern: a layer of kind {} is not supported", skald::quoted(kind));
}

// Words, or a letter for each layer, which tell how many there are.
std::vector<Block> blocks_of(const HfConfig& c) {
  constexpr const char *kLetters = "hybrid_override_pattern", *kWords = "layers_block_type";
  std::vector<Block> out;
  if (c.has(kWords))
    for (const std::string& kind : c.strings(kWords)) out.push_back(block_of(kind));
  else
    for (const char letter : c.str(kLetters, "")) out.push_back(block_of(std::string(1, letter)));
  c.pass_over(kLetters);
  if (out.empty()) fail(Errc::kNotFound, "config.json: {} is missing", kLetters);
  return out;
}

std::vector<bool> layers_with(const std::vector<Block>& blocks, Block wanted) {
  std::vector<bool> out;
  for (const Block b : blocks) out.push_back(b == wanted);
  return out;
}

bool has(const std::vector<Block>& blocks, Block b) { return std::ranges::find(blocks, b) != blocks.end(); }

void sizes(const HfConfig& c, const std::vector<Block>& blocks, Hyperparameters& out) {
  const bool experts = has(blocks, Block::kExperts);
  if (experts && has(blocks, Block::kFfn))
    fail(Errc::kUnsupported, "config.json: layers with experts beside layers with one feed-forward are not supported");
  if (const int64_t said = c.i64("num_hidden_layers", std::ssize(blocks)); said != std::ssize(blocks))
    log(LogLevel::kWarn, "config.json: num_hidden_layers: {} is not followed: the list of layers has {}", said,
        blocks.size());
  out.size("context_length", c.n_ctx());
  out.size("embedding_length", c.d_model());
  out.size("block_count", std::ssize(blocks));
  out.size("vocab_size", c.i64("vocab_size"));
  out.size("attention.head_count", c.n_heads());
  out.sizes("attention.head_count_kv", where(layers_with(blocks, Block::kAttention), c.n_kv_heads()));
  const int64_t d_ff = experts ? c.i64("moe_intermediate_size") : c.d_ff();
  out.sizes("feed_forward_length", where(layers_with(blocks, experts ? Block::kExperts : Block::kFfn), d_ff));
  out.number(kLayerNormEps, c.f32({"layer_norm_epsilon", "norm_eps", "rms_norm_eps"}, 1e-5f));
  const int64_t d_head = c.i64({"head_dim", "attention_head_dim"}, c.d_model() / std::max<int64_t>(c.n_heads(), 1));
  out.size("attention.key_length", d_head);
  out.size("attention.value_length", d_head);
}

}  // namespace

void nemotron_layers_ahead(int64_t n, const MetaView& m, Hyperparameters& out) {
  if (n > 1) fail(Errc::kUnsupported, "config.json: {} layers that predict further tokens are not supported, only one", n);
  for (const char* key : {"attention.head_count_kv", "feed_forward_length"}) {
    std::vector<int64_t> layers = m.meta().ints(m.full(key));
    layers.push_back(std::ranges::max(layers));
    out.sizes(key, layers);
  }
}

bool has_nemotron_experts(const HfConfig& c) { return has(blocks_of(c.text()), Block::kExperts); }

void nemotron_keys(const HfConfig& c, Hyperparameters& out) {
  require_word(c, "mlp_hidden_act", kReluSquared);
  require_absent(c, "sliding_window");
  const std::vector<Block> blocks = blocks_of(c);
  sizes(c, blocks, out);
  mamba2_keys(c, out, /*expanded=*/false);
  c.pass_over("expand");
  out.flag("rope.scaling.finetuned", false);  // there is no RoPE
  for (const char* key : {"rope_theta", "partial_rotary_factor", "mtp_layers_block_type"}) c.pass_over(key);
  note_layers_ahead(c, out, std::ssize(blocks));
  if (!has(blocks, Block::kExperts)) return;
  c.pass_over("intermediate_size");  // of feed-forwards without experts
  expert_keys(c, out);
  shared_expert_keys(c, out, 0);
  out.size("expert_shared_feed_forward_length", c.i64("moe_shared_expert_intermediate_size"));
  if (c.has("moe_latent_size")) out.size("moe_latent_size", c.i64("moe_latent_size"));
  routing_keys(c, out);
}

}  // namespace skald
