// Options that travel unchanged from flags and embedders to the code that follows them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "skald/drafter.h"
#include "skald/lora_file.h"
#include "skald/prefix_store.h"
#include "skald/sparq_params.h"
#include "skald/static_params.h"
#include "skald/types.h"

#pragma GCC visibility push(default)
namespace skald {

class Group;
class PrefixDigest;

// Errors spell a field as an embedder does: "cache.type_k: ..." is about EngineOptions::cache.type_k.

/// Chooses the device, its threads, and the form of the weights.
struct DeviceOptions {
  std::string device = "cpu";         // that computes: skald devices lists them
  std::string gpu_layers = {};        // on the device, the last ones: "auto", "all" or a number; empty: all of a model
  std::string override_tensors = {};  // "REGEX=DEVICE,...": where tensors of these names are, whatever their layer
  bool cpu_moe = false;               // the experts of all layers are on the CPU
  int n_cpu_moe = 0;                  // those of the first layers
  int n_threads = 0;                  // of steps of a few rows, as decoding has; 0: one per usable CPU
  int n_threads_batch = 0;            // of larger steps, as prompts have; 0: as n_threads
  std::string cpu_range = {};         // "0-3,8": each thread gets one of these CPUs to itself; empty: where the system likes
  std::string numa = {};              // "distribute" threads evenly over memory nodes, "isolate" all on one; empty: neither
  bool fused = true;   // false: attention as the textbook has it, with a matrix of all scores; a check, and slow
  bool exact = false;  // floats meet floats: none becomes bfloat16 or an integer in products; slower. Of the CPU alone
  bool repack = true;  // repack weights for fast matmuls when they are loaded; false: use them as they lie
  bool lock = false;   // keep the weights in memory, if the system agrees: SKALD_LOG tells when it does not
  // Where it is set, the processes that mpirun started compute the model together: "auto", or how many there must be.
  std::string tensor_parallel = {};
  int pipeline_parallel = 1;          // stages of layers that compute one after the other; each on as many of the processes
  bool tp_exact = false;              // no sum is cut: the same bits on any number of ranks, and more goes over the wire
  int rank_timeout = 30;              // seconds for which a rank may be silent; then the job ends
  std::shared_ptr<Group> group = {};  // of these processes, set by the program that they run; null: there is one
  OnProgress on_progress = {};        // receives the bytes of weights that are repacked; called where the engine is made

  /// Returns whether several processes compute the model.
  bool on_ranks() const { return !tensor_parallel.empty() || pipeline_parallel > 1; }
  /// Throws Error (kBadInput) naming the field that is wrong.
  void check() const;
};

/// Bounds the checkpoints of conversations where windows and recurrent states forget; other caches are truncated.
struct CheckpointOptions {
  int64_t most = 32;  // of a conversation
  int64_t step =
      2048;            // tokens of a prompt between two of them; 0: there are those at its end and at ends of messages alone
  int64_t mib = 1024;  // memory for recurrent states, of all conversations together

  /// Throws Error (kBadInput) naming the field that is wrong.
  void check() const;
};

/// Chooses the length, types and sharing of the cached keys and values.
struct CacheOptions {
  int64_t n_ctx = 0;            // longest sequence (prompt and text) in tokens; 0: the model's training context
  std::string type_k = "f16";   // of cached keys: f32, f16, bf16, q8_0, q4_0, kc8 or kc4
  std::string type_v = "f16";   // of cached values
  std::string layout = "auto";  // how keys lie: rows, dims (types without blocks), planes (blocks on a GPU), or the fastest
  bool rotate = true;           // Hadamard transform of q8_0 and q4_0 keys and values: smaller errors
  int64_t swa_sinks = 0;        // first tokens that layers with a sliding window go on seeing; at most half the context
  int64_t total_keys = 0;  // of all sequences together, windows aside; 0: n_ctx for each. Where it does not do, some wait
  int64_t rollback = 0;    // tokens that sequences can be truncated by where sliding windows forget
  bool lock = false;       // keep the cache in memory, as DeviceOptions::lock keeps the weights
  CheckpointOptions checkpoints = {};
  /// Shares the pages of prompts that begin alike among requests of one scope; pages that no request has are kept for later
  /// ones while there is room. With recurrent states, checkpoints.mib bounds the memory of the kept ones.
  bool share_prefixes = false;
  bool slot_files = false;  // Engine::save_slot() may be asked: making the engine then takes the fingerprint of the model
  SparqParams sparq = {};   // sparse decoding; off by default
  /// Selects fixed shapes; off by default. One sequence runs at a time, which with n_ctx = 0 may have any length.
  StaticParams static_shapes = {};

  /// Throws Error (kBadInput) naming the field that is wrong.
  void check() const;
};

/// Bounds the sequences and the tokens of a step.
struct ScheduleOptions {
  int64_t n_parallel = 4;      // sequences that run at the same time; more wait
  int64_t n_batch = 2048;      // most tokens that one step takes from all sequences together
  int64_t n_ubatch = 512;      // most tokens computed at once; the smaller of the two counts
  bool context_shift = false;  // a full sequence forgets its oldest half and goes on, instead of ending
  int64_t max_waiting = -1;    // requests that may wait for a slot; -1: any number
  double max_itl_ms = 0;       // prompts are cut so that steps in which others generate take no longer; 0: no bound

  /// Returns the most tokens of a step.
  int64_t step_rows() const { return n_batch < n_ubatch ? n_batch : n_ubatch; }
  /// Throws Error (kBadInput) naming the field that is wrong.
  void check() const;
};

/// Chooses how the next tokens are guessed, so that a step computes several of a text. The text stays the same.
struct DraftOptions {
  // The text guesses for "ngram": it goes on as after its last tokens before. The smaller `model` guesses for "draft", and
  // layers of the model that predict further tokens for "mtp". With "sparq" and "sparq:RATIO" the model itself guesses, and
  // reads 1 / RATIO of the cache. With "auto", the text and any `model` guess where measurements say that it gains.
  std::string kind = "none";
  int64_t most = 16;        // guesses of a step, for each text
  int64_t least = 0;        // fewer of them are not worth a check
  float p_min = 0.75f;      // "draft", "mtp": guesses that are found less probable end there
  std::string model = {};   // "draft": the file of a smaller model of the same vocabulary
  std::string corpus = {};  // "ngram": a text file that answers may repeat

  bool on() const { return name() != "none"; }
  /// Returns the kind without a ratio; with a model alone it is "draft".
  std::string_view name() const;
  /// Returns whether a layer of the model that predicts further tokens makes guesses.
  bool mtp() const { return name() == "mtp"; }
  /// Returns how sparse decoding makes guesses; off for other kinds. Throws Error (kBadInput) for a ratio that is no number
  /// above 1.
  SparqParams sparq() const;
  /// Throws Error (kBadInput) naming the field that is wrong; the engine knows the kinds.
  void check() const;
};

/// Tells of a step that was computed.
struct StepReport {
  double seconds = 0;
  int64_t prompt_rows = 0, generated_rows = 0;
};

/// Holds all options of an engine.
struct EngineOptions {
  DeviceOptions device = {};
  CacheOptions cache = {};
  ScheduleOptions schedule = {};
  DraftOptions draft = {};
  /// Guesses in place of a kind that `draft` names, up to DraftOptions::most tokens; null: none.
  std::shared_ptr<Drafter> drafter = {};
  std::vector<LoraFile> loras = {};  // adapters of all requests that name none themselves
  /// Keeps shared pages beyond memory; null: nowhere. Needs CacheOptions::share_prefixes.
  std::shared_ptr<PrefixStore> prefix_store = {};
  /// Hears of the shared pages in memory, for servers that tell others of them; may be null.
  std::shared_ptr<PrefixDigest> prefix_digest = {};
  std::function<void(const StepReport&)> on_step = {};  // called on the engine's thread; must not throw or block

  bool guesses() const { return drafter || draft.on(); }
  /// Throws Error (kBadInput) naming the field that is wrong, or those that do not go together.
  void check() const;
};

}  // namespace skald
#pragma GCC visibility pop
