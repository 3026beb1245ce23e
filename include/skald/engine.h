// Engine: runs requests on a model, many at once; and the requests themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skald/error.h"
#include "skald/model.h"
#include "skald/options.h"
#include "skald/sampling_params.h"
#include "skald/static_params.h"
#include "skald/types.h"

namespace skald {

enum class FinishReason : uint8_t {
  kNone,    // still running
  kEnd,     // the model ended the text
  kLength,  // max_tokens, or the context is full and not shifted
  kCancelled,
  kError,
};

/// What a request's callback hears: once per token, and once more when a text is over.
struct Event {
  TokenId token = -1;          // -1 in the last event
  std::string_view text = {};  // whole UTF-8 characters that became complete; maybe empty. Valid during the callback
  FinishReason finish = FinishReason::kNone;
  std::string_view error = {};    // for kError
  std::optional<Errc> code = {};  // likewise
  int branch = 0;                 // which of Request::n texts
};

struct Request {
  std::vector<TokenId> prompt;  // at least one token
  int max_tokens = -1;          // -1: until the model ends the text or the context is full (without context_shift)
  int keep = 0;                 // first tokens of the prompt that context shifts keep; -1: all
  bool ignore_eos = false;      // no end token is drawn
  int n = 1;                    // texts for the prompt; each draws for itself, the i-th from the seed + i
  bool log_prob = false;        // add up the tokens' log-probabilities; costs a pass over the vocabulary a token
  SamplingParams sampling;
  /// Called on the engine's thread; must not throw or block for long. May be empty.
  std::function<void(const Event&)> on_event;

  /// What `keep` comes to for this prompt.
  int64_t n_kept() const;
};

struct Timing {
  int64_t n_prompt = 0, n_generated = 0;
  double prompt_seconds = 0;    // from the first step until the first token
  double generate_seconds = 0;  // from the first token until the last
};

/// One text.
struct Choice {
  std::vector<TokenId> tokens = {};  // generated ones
  std::string text = {};
  FinishReason finish = FinishReason::kNone;
  double log_prob = 0;  // of its tokens, before filters and temperature, where the request asks
};

/// The first text, and what is said of all.
struct Result : Choice {
  std::vector<Choice> others = {};  // Request::n - 1
  std::string error = {};
  std::optional<Errc> code = {};  // of the error
  uint64_t seed = 0;              // of the sampler, to repeat the result
  Timing timing = {};
};

using RequestId = int64_t;

/// A request on its way: the id cancels it, the future holds its result. Dropping the future does not end the request.
struct Submission {
  RequestId id;
  std::future<Result> result;
};

/// Bytes that an engine holds. Cache pages are kept for requests to come: what is held is also the most that was used.
struct MemoryUse {
  /// Layers that need the same keys: those of one sliding window, or without one.
  struct KvGroup {
    int64_t layers = 0;
    int64_t window = 0;  // keys, 0: all
    int64_t pages = 0, keys = 0, values = 0;
    int64_t index = 0;  // second copy of the keys, for sparse decoding
  };
  int64_t weights = 0;     // of the model, mapped from its file or not; engines of one model share them
  int64_t work = 0;        // activations and scratch of the steps
  std::string kv_storage;  // "keys f16 by dims, values q8_0 rotated"
  std::vector<KvGroup> kv;
  std::optional<StaticUse> static_use;  // with fixed shapes

  int64_t keys() const;
  int64_t values() const;
  int64_t index() const;
};

/// Layers with the same window and heads of the same size, and from which number of keys on sparse decoding does not read
/// all.
struct SparqLayers {
  int64_t layers = 0;
  int64_t window = 0;      // keys, 0: all
  int64_t most_keys = 0;   // that a token can see
  int64_t from = 0;        // as many keys or more are not read as a whole; 0: any number is
  int64_t k1 = 0, k2 = 0;  // with most_keys

  bool can_be_sparse() const { return from && from <= most_keys; }
};

/// What sparse decoding read, counted in numbers of keys and values, of what dense decoding would have read: of KV heads of
/// generated tokens that saw more keys than they kept.
struct SparqUse {
  int64_t read = 0, dense = 0;
  int64_t tokens = 0;                    // generated ones, whatever they saw
  std::vector<SparqLayers> layers = {};  // empty: sparse decoding is off
  /// 1 where nothing was decoded sparsely.
  double share() const { return dense ? static_cast<double>(read) / static_cast<double>(dense) : 1; }
};

class Engine {
 public:
  /// Starts the engine's thread. Throws Error for options that are out of range or that the model cannot be run with.
  explicit Engine(const Model& model, const EngineOptions& options = {});
  ~Engine();  // cancels what is still running
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Queues a request. Throws Error (kBadInput) for an empty or too long prompt, unknown ids or wrong parameters,
  /// and where context shifts would have to keep more than fits.
  Submission submit(Request request);
  /// Ends a request early; harmless when it is already over. Safe to call from any thread and from a callback.
  void cancel(RequestId id);
  /// Submits and waits.
  Result generate(Request request) { return submit(std::move(request)).result.get(); }

  int64_t n_ctx() const;
  /// The most tokens that a request can keep when its context is shifted.
  int64_t max_kept() const { return n_ctx() - 2; }
  MemoryUse memory() const;
  /// Since the engine was made.
  SparqUse sparq_use() const;
  int64_t kv_bytes() const;  // keys and values
  int64_t work_bytes() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace skald
