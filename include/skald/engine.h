// Engine: runs requests on a model, many at once; and the requests themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skald/error.h"
#include "skald/grammar_params.h"
#include "skald/lora.h"
#include "skald/model.h"
#include "skald/options.h"
#include "skald/sampling_params.h"
#include "skald/static_params.h"
#include "skald/types.h"

#pragma GCC visibility push(default)
namespace skald {

struct AdapterMix;

enum class FinishReason : uint8_t {
  kNone,     // still running
  kEnd,      // the model ended the text
  kStop,     // a stop text came, or the callback said so
  kLength,   // max_tokens, min_indent or max_seconds
  kContext,  // the context is full and not shifted
  kCancelled,
  kError,
};

/// Holds a token with ln of its probability, before samplers and temperature.
struct TokenLogProb {
  TokenId token;
  double log_prob;
};

/// Tells a request's callback of a token, and once more of the end of a text.
struct Event {
  TokenId token = -1;          // -1 in the last event
  std::string_view text = {};  // whole UTF-8 characters that became complete; maybe empty. Valid during the callback
  FinishReason finish = FinishReason::kNone;
  std::string_view error = {};    // for kError
  std::optional<Errc> code = {};  // likewise
  int branch = 0;                 // which of Request::n texts
  double log_prob = 0;            // of the token, where the request asks
  /// Lists Request::top_log_probs of them, the most likely first. Valid during the callback.
  std::span<const TokenLogProb> top_log_probs = {};
  bool over = false;          // the request is over: no event follows
  mutable bool stop = false;  // the callback sets it to end this text; without effect when it is over
};

/// Says after each token of a text which ones must follow, whatever the model would say.
class TokenForcer {
 public:
  virtual ~TokenForcer() = default;
  /// Gives another one, for a text of the same prompt, at its beginning.
  virtual std::unique_ptr<TokenForcer> begin() const = 0;
  /// Takes the text's next token, a forced one too; on a thread of the engine. Gives tokens of the vocabulary.
  virtual std::vector<TokenId> after(TokenId token) = 0;
};

using ConversationId = int64_t;

/// Names the pages of a prompt in EngineOptions::prefix_store.
struct StoredPrefix {
  std::string name = {};  // of the last one, in hexadecimal digits; empty: there is none
  int64_t tokens = 0;     // of all of them
};

struct Request {
  std::vector<TokenId> prompt = {};  // at least one token
  int max_tokens = -1;               // -1: until the model ends the text or the context is full (without context_shift)
  int keep = 0;                      // first tokens of the prompt that context shifts keep; -1: all
  bool ignore_eos = false;           // no end token is drawn
  /// Blanks that lines of the text begin with, but for its first one: a line with fewer ends the text after its blanks.
  int min_indent = 0;
  /// Seconds from the first token on after which the next line feed ends the text; 0: any number.
  double max_seconds = 0;
  int n = 1;  // texts for the prompt; each draws for itself, the i-th from the seed + i; at most kMostTexts
  /// Draws this many texts, at most kMostTexts. Of more than `n` the result has those with the highest mean log-probability
  /// of a token, and they are told when all are over. 0: `n`.
  int best_of = 0;
  /// Searches for likely texts instead of drawing them, with this many live ones at a time, at most kMostBeams. Each step
  /// extends every live text by every token, and the best go on. The result has the best `n` texts, or fewer where there are
  /// no more; they are told when the search is over. `sampling` has no part in it, and EngineOptions::draft guesses nothing.
  /// With `ignore_eos` end tokens are tokens as all others. Does not go with `best_of` and `conversation`, nor without
  /// `max_tokens` with context_shift. 0: tokens are drawn.
  int beams = 0;
  /// Divides the log-probability of a text by its number of tokens to this power, -10 to 10: its score in the search.
  float length_penalty = 1;
  bool log_prob = false;  // give the tokens' log-probabilities; costs a pass over the vocabulary a token
  int top_log_probs = 0;  // and those of this many most likely tokens at each place, at most kMostTopLogProbs
  /// Gives those of the prompt's tokens too (Result::prompt_log_probs), and no text for `max_tokens` 0. The engine then
  /// computes the whole prompt and takes nothing of it from earlier requests. Does not go with `conversation`.
  bool prompt_log_probs = false;
  /// Shows control tokens by name in the text, but for the one that ends it.
  bool show_special = false;
  /// Ends the text where one of these begins, wherever tokens begin and end; at most 256 of 4 KB, none empty. The callback
  /// hears text that may begin one of them only after it has turned out not to.
  std::vector<std::string> stop = {};
  /// Shares keys between requests of one number, not 0: those of the tokens with which a prompt and an earlier prompt, or
  /// its text, both begin. The engine keeps them while there is room (until Engine::forget()), for the first of `n` texts. A
  /// conversation that has none begins with those that CacheOptions::share_prefixes has for it.
  ConversationId conversation = 0;
  /// Takes over generated tokens' keys as well. They differ in the last bits from those that a prompt gives.
  bool reuse_generated = true;
  /// Names whose requests take turns when they wait.
  std::string owner = {};
  int priority = 0;  // of an owner's requests: lower ones run first, equal ones in the order of arrival
  /// Names the requests that share pages of prompts that begin alike (CacheOptions::share_prefixes). Scopes share nothing
  /// with each other.
  std::string scope = {};
  bool cache_prompt = true;  // false: takes no pages of earlier prompts, and leaves none
  /// Computes the prompt for requests to come, and nothing else: only in steps that no request has rows for, a page at a
  /// time. It takes no slot of n_parallel. It ends early (kCancelled) when pages are short, after a minute, and when 64
  /// others wait. Needs CacheOptions::share_prefixes.
  bool read_ahead = false;
  /// Computes the prompt's full pages, and no text. It ends (kLength) when EngineOptions::prefix_store has them:
  /// Result::stored names them. Where the store fails, it ends too, with those that are there. Needs `cache_prompt`.
  bool prefill = false;
  /// Names pages that another engine's `prefill` has left for this prompt: they are looked for once more where the store had
  /// none a moment ago. Those that are gone are computed. `tokens` is not read.
  StoredPrefix prefilled = {};
  SamplingParams sampling = {};
  /// Makes the text a sentence of it, which ends where nothing can follow.
  GrammarParams grammar = {};
  /// Changes the model's weights for this request by adapters, each by a scale; nullopt: by those of EngineOptions::loras.
  /// Requests with other adapters share its steps, and no pages.
  std::optional<std::vector<LoraUse>> loras = {};
  std::shared_ptr<const AdapterMix> adapters = {};  // the same in the form of steps, set by Engine::submit()
  /// Forces tokens, as far as the grammar allows them; may be null.
  std::shared_ptr<const TokenForcer> forcer = {};
  /// Gives tokens that the text may repeat: EngineOptions::draft of "ngram" or "auto" guesses by them.
  std::vector<TokenId> prediction = {};
  /// Runs on the engine's thread; must not throw or block for long. May be empty.
  std::function<void(const Event&)> on_event = {};
  /// Runs likewise, while the prompt is read: how many of its tokens have keys.
  std::function<void(int64_t done)> on_prompt = {};
  /// Runs likewise, while the request waits for a slot: how many others have their turn before it, when that has changed.
  std::function<void(int64_t before)> on_wait = {};
  /// Runs likewise, when the request has got a slot and begins: how many of the prompt's tokens it need not compute.
  std::function<void(int64_t cached)> on_start = {};

  static constexpr int kMostTopLogProbs = 1000, kMostTexts = 1024, kMostBeams = 128;
  static constexpr float kMostLengthPenalty = 10;

  /// Returns the number of tokens that `keep` means for this prompt.
  int64_t n_kept() const;
};

/// Counts guesses of EngineOptions::draft.
struct DraftUse {
  int64_t guessed = 0, right = 0;
  /// Counts them by their place in a step's guesses; one is right only after right ones.
  struct Place {
    int64_t guessed = 0, right = 0;
  };
  std::vector<Place> places = {};

  /// Counts the `n` guesses of a step, of which the first `n_right` were right.
  void add(int64_t n, int64_t n_right);
  DraftUse& operator+=(const DraftUse& more);
};

struct Timing {
  int64_t n_prompt = 0;
  int64_t n_generated = 0;  // of all texts, those of best_of and beams that are not in the result too
  int64_t n_cached = 0;     // of the prompt's tokens, those taken over from other requests; at most n_prompt - 1
  DraftUse drafts = {};
  double queue_seconds = 0;     // from submit() until it got a slot
  double prompt_seconds = 0;    // from the first step until the first token
  double generate_seconds = 0;  // from the first token until the last
};

/// Holds one text.
struct Choice {
  std::vector<TokenId> tokens = {};  // generated ones
  std::string text = {};
  FinishReason finish = FinishReason::kNone;
  std::string stop_text = {};  // that ended it, of Request::stop; for kStop
  TokenId end_token = -1;      // that ended it, for kEnd; -1: its grammar did
  /// Sums up the log-probabilities of its tokens, before samplers and temperature, where the request asks. With best_of and
  /// beams it is there, and the end token counts.
  double log_prob = 0;
  double score = 0;                    // of best_of and beams: log_prob / tokens ^ length_penalty, best_of with 1
  std::vector<double> log_probs = {};  // of each
  std::vector<std::vector<TokenLogProb>> top_log_probs = {};  // at each token's place, the most likely first
};

/// Holds the first text, and the data of all.
struct Result : Choice {
  std::vector<Choice> others = {};  // Request::n - 1, of beams maybe fewer
  std::string error = {};
  std::optional<Errc> code = {};              // of the error
  uint64_t seed = 0;                          // of the sampler, to repeat the result
  std::vector<double> prompt_log_probs = {};  // of the prompt's tokens after the first, where the request asks
  std::vector<std::vector<TokenLogProb>> prompt_top_log_probs = {};  // at each of these places
  StoredPrefix stored = {};                                          // of Request::prefill
  Timing timing = {};
};

using RequestId = int64_t;

/// Refers to a request on its way: the id cancels it, the future holds its result. Dropping the future does not end the
/// request.
struct Submission {
  RequestId id;
  std::future<Result> result;
};

/// Counts bytes that an engine holds. Cache pages are kept for requests to come: the bytes held are also the most that were
/// used.
struct MemoryUse {
  /// Counts for layers that need the same keys: those of one sliding window, or without one.
  struct KvGroup {
    int64_t layers = 0;
    int64_t window = 0;  // keys, 0: all
    int64_t pages = 0, keys = 0, values = 0;
    int64_t index = 0;  // second copy of the keys, for sparse decoding
  };
  /// Counts the states of recurrent layers, which each sequence and each checkpoint of a conversation keeps.
  struct States {
    int64_t layers = 0;
    int64_t each = 0;   // bytes of one sequence
    int64_t bytes = 0;  // the most that was held
  };
  int64_t weights = 0;     // of the model, mapped from its file or not; engines of one model share them
  int64_t work = 0;        // activations and scratch of the steps
  std::string kv_storage;  // "keys f16 by dims, values q8_0 rotated"
  std::vector<KvGroup> kv;
  States states;
  std::optional<StaticUse> static_use;  // with fixed shapes

  int64_t keys() const;
  int64_t values() const;
  int64_t index() const;
};

/// Describes layers with the same window and heads of the same size, and the number of keys from which on sparse decoding
/// does not read all.
struct SparqLayers {
  int64_t layers = 0;
  int64_t window = 0;      // keys, 0: all
  int64_t most_keys = 0;   // that a token can see
  int64_t from = 0;        // as many keys or more are not read as a whole; 0: any number is
  int64_t k1 = 0, k2 = 0;  // with most_keys

  bool can_be_sparse() const { return from && from <= most_keys; }
};

/// Counts the bytes of keys and values that sparse decoding read, and those that dense decoding would have read. Only KV
/// heads count whose generated tokens saw more keys than they kept.
struct SparqUse {
  int64_t read = 0, dense = 0;
  int64_t tokens = 0;    // generated ones, whatever they saw
  int64_t measured = 0;  // that were computed densely, too
  int64_t known = 0;     // generated ones whose loss the measured ones of their text tell
  double nats = 0;       // that these lost in all
  /// Returns 1 where nothing was decoded sparsely.
  double share() const { return dense ? static_cast<double>(read) / static_cast<double>(dense) : 1; }
  /// Returns 0 where nothing was measured.
  double nats_a_token() const { return known ? nats / static_cast<double>(known) : 0; }
};

/// Tells of an engine's work, as of one moment.
struct EngineStatus {
  int64_t waiting = 0;  // requests that have not begun
  int64_t running = 0;  // requests that have, and are not over
  int64_t paused = 0;   // texts of these that compute nothing: by Engine::pause(), or since others have their pages

  /// Counts pages of the layers that hold the most. total = active + cached + free.
  struct Pages {
    int64_t page_tokens = 64;
    int64_t page_bytes = 0;  // of keys and values in these layers
    int64_t total = 0;
    int64_t active = 0;  // of requests, and of conversations that are kept
    int64_t cached = 0;  // kept for requests to come alone; a request that needs pages gets them
    int64_t free = 0;
  };
  Pages pages;
  int64_t unwritten_pages = 0;  // of prompts, that are still to be handed to EngineOptions::prefix_store

  // Since the engine was made:
  int64_t preemptions = 0;          // times that a text gave its pages to others
  int64_t prefix_evictions = 0;     // pages that were cached and made way
  int64_t prompt_tokens = 0;        // computed; those computed again after a preemption count once
  int64_t prompt_tokens_ahead = 0;  // computed for Request::read_ahead
  int64_t cached_tokens = 0;        // of prompts, not computed
  int64_t disk_tokens = 0;          // of these, whose pages were read from the disk
  int64_t generated_tokens = 0;
  int64_t cancelled = 0;         // requests
  int64_t prefilled = 0;         // those with Request::prefilled,
  int64_t prefilled_missed = 0;  // and those of them for which some of the named pages were computed
  SparqUse sparq = {};
  int64_t guessed_tokens = 0;  // by EngineOptions::draft,
  int64_t right_guesses = 0;   // and those of them that were the text's

  /// Tells of a slot of n_parallel; an idle one tells of its last request.
  struct Slot {
    enum class State : uint8_t {
      kIdle,
      kPrefill,
      kDecode,
      kPaused,  // others have its pages
    };
    State state = State::kIdle;
    int64_t request = 0;  // RequestId, 0: none
    int64_t n_prompt = 0, n_cached = 0, n_decoded = 0;
    int64_t pages = 0;
  };
  std::vector<Slot> slots = {};
};

/// Counts the data that Engine::save_slot() wrote, or restore_slot() read.
struct SlotFile {
  int64_t tokens = 0, bytes = 0;
};

class Engine {
 public:
  /// Starts the engine's thread. Throws Error for options that are out of range or that the model cannot be run with.
  explicit Engine(const Model& model, const EngineOptions& options = {});
  ~Engine();  // cancels what is still running
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Queues a request. Throws Error (kBadInput) for an empty or too long prompt, unknown ids or wrong parameters, and where
  /// context shifts would have to keep more than fits. Throws kUnsupported for adapters on a device that applies none, kBusy
  /// where ScheduleOptions::max_waiting others wait.
  Submission submit(Request request);
  /// Ends a request early; harmless when it is already over. Safe to call from any thread and from a callback.
  void cancel(RequestId id);
  /// Stops the request from computing until resume(). Its slots go to others, as do its pages where these need them.
  /// Harmless when it is over; safe from any thread and from a callback, as is resume().
  void pause(RequestId id);
  void resume(RequestId id);
  /// Gives back what is kept for a conversation.
  void forget(ConversationId conversation);
  /// Waits for the result. `stop` is asked several times a second whether to cancel the request; empty: it is not.
  Result wait(Submission submission, const std::function<bool()>& stop = {});
  /// Submits and waits.
  Result generate(Request request, const std::function<bool()>& stop = {}) { return wait(submit(std::move(request)), stop); }

  /// Saves the last request of a slot of n_parallel, for a Request::scope that begins with `owner`. Its tokens, and the
  /// pages of its prompt that are still there, replace a file of the folder. The folder is made; its files are readable for
  /// its owner alone. Needs CacheOptions::share_prefixes and slot_files. Waits for the engine. Throws Error: kNotFound where
  /// the slot ran nothing for the owner, kDevice where the file cannot be written.
  SlotFile save_slot(int64_t slot, const std::string& owner, const std::string& folder, const std::string& name);
  /// Restores a slot as if it had run the file's request, in its scope: a prompt that begins so need not be computed. Throws
  /// Error: kNotFound where there is no such file or slot, or the slot ran a request for another owner. Throws kBadFile for
  /// a file of another owner, model or options, or a damaged one; kNoMemory where there is no room. The slot is then as
  /// before.
  SlotFile restore_slot(int64_t slot, const std::string& owner, const std::string& folder, const std::string& name);
  /// Forgets the slot's last request, and its pages in memory and on disk, as far as no other text begins with them. Returns
  /// the number of its tokens. Throws as save_slot() does.
  int64_t erase_slot(int64_t slot, const std::string& owner);

  int64_t n_ctx() const;
  /// Returns the most tokens that a request can keep when its context is shifted.
  int64_t max_kept() const { return n_ctx() - 2; }
  MemoryUse memory() const;
  /// Costs no more than a copy; safe from any thread.
  EngineStatus status() const;
  /// Counts since the engine was made.
  SparqUse sparq_use() const;
  /// Returns how layers decode sparsely; empty: they do not.
  std::vector<SparqLayers> sparq_layers() const;
  int64_t kv_bytes() const;  // keys and values
  int64_t work_bytes() const;

 private:
  class [[gnu::visibility("hidden")]] Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace skald
#pragma GCC visibility pop
