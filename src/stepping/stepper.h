// Stepper: what the engine computes steps with. Runner keeps keys in pages, StaticRunner in windows of a fixed size.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "graph/profile.h"
#include "kv/sequence.h"
#include "skald/engine.h"
#include "skald/sparq_params.h"
#include "stepping/logits.h"
#include "tensor/weight_source.h"

namespace skald {

struct Adapter;
struct AdapterMix;
class DeviceAdapter;
class SparqPilot;

/// One sequence's share of a step.
struct StepItem {
  KvSequence* kv;
  std::span<const TokenId> tokens;  // appended to the sequence
  int64_t n_outputs;                // logits of this many of the last tokens
  bool decode = false;              // generated tokens rather than a prompt, which attention may sum up in another order
  int64_t second = -1;              // of `tokens`, those from here on are the second text of a pair; -1: none are

  /// How generated tokens attend; null: as the stepper was made for. A draft may read few keys, and its check all of them.
  const SparqParams* sparq = nullptr;
  SparqPilot* pilot = nullptr;  // of the generated tokens' text, which measures how much they read; they are of one page
  std::span<const TokenId> before = {};  // the text's tokens before `tokens`, for its pilot
  bool draft = false;                    // the tokens are guesses: no other sequence takes their keys
  std::span<const float> hidden = {};    // (tokens, d_model): of the token before each, for layers that look ahead
  const AdapterMix* adapters = nullptr;  // of its tokens; null: none
  /// One number per token, or three (time, row, column); empty: the tokens' places in the sequence.
  std::span<const int32_t> positions = {};
  /// The token that each one follows, as an index into `tokens`; -1: the sequence's last one. Empty: the one before it.
  std::span<const int32_t> parents = {};
};

class Stepper {
 public:
  virtual ~Stepper() = default;

  /// Compiles what every text needs: a model that cannot be run fails here.
  virtual void compile() = 0;
  /// Gives the cache of its sequences.
  virtual KvCache& kv() = 0;
  virtual const KvCache& kv() const = 0;
  KvSequence new_sequence() { return KvSequence(kv()); }
  /// What they can still take.
  KvRoom room() const { return kv().room(); }

  /// Brings an adapter of the model into the form for StepItem::adapters; from any thread. Throws kUnsupported where steps
  /// cannot apply it.
  virtual std::shared_ptr<const DeviceAdapter> adapt(std::shared_ptr<const Adapter> adapter);

  /// Computes the step and appends to the sequences; logits of all outputs in order (outputs, n_vocab), valid until the next
  /// run. Throws kBadInput for an id outside the vocabulary, kUnsupported where an item brings what the model's graph does
  /// not take, kNoMemory when the cache is full; the sequences are then as before.
  virtual Logits run(std::span<const StepItem> items) = 0;
  /// Returns the hidden rows of all tokens of the last step (tokens, d_model), valid as its logits are; none where the model
  /// is not one that gives them (StepModel::gives_hidden).
  virtual Logits hidden() const { return {}; }
  /// The time of the operations of the steps to come is added there; null: nowhere. It must outlive these steps.
  void profile(Profile* profile) { profile_ = profile; }

  /// Returns what it reads, for another stepper of the same model's on the same backend.
  virtual std::shared_ptr<const DeviceWeights> weights() const = 0;
  /// How its cache stores keys and values, in words.
  virtual std::string kv_storage() const = 0;
  /// What its cache holds; the other fields stay as they are.
  virtual void report(MemoryUse& use) const = 0;
  /// What sparse decoding read so far; safe from any thread.
  virtual SparqUse sparq_use() const { return {}; }
  /// Returns how layers decode sparsely; empty: they do not.
  virtual std::vector<SparqLayers> sparq_layers() const { return {}; }

 protected:
  Profile* profile_ = nullptr;
};

/// Throws kBadInput for an id that is not below n_vocab.
void check_tokens(std::span<const TokenId> tokens, int64_t n_vocab);

}  // namespace skald
