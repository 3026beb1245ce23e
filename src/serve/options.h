// The options of `skald serve`.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http.h"
#include "serve/mcp/mcp_server.h"
#include "skald/engine.h"
#include "skald/model.h"
#include "skald/pooling.h"

namespace skald::serve {

/// The part of a fleet's work that a server does.
enum class Role : uint8_t {
  kBoth,     // it reads prompts and writes texts
  kPrefill,  // it reads prompts for the prefix cache's store, and writes no texts
  kDecode,   // it writes texts from there
};
/// Returns "both", "prefill" or "decode".
constexpr std::string_view role_name(Role role) {
  constexpr std::array<std::string_view, 3> kNames = {"both", "prefill", "decode"};
  return kNames[static_cast<size_t>(role)];
}

/// An adapter that requests name as their model.
struct LoraModule {
  std::string name, path;
};

/// The adapters of the one model.
struct LoraOptions {
  std::vector<LoraFile> files = {};      // of requests that name none
  bool apply = true;                     // false: these have the scale 0 until POST /lora-adapters says otherwise
  std::vector<LoraModule> modules = {};  // of requests that name them
  std::string dir = {};                  // whose files may be loaded while the server runs; empty: none may

  bool any() const { return !files.empty() || !modules.empty() || !dir.empty(); }
};

struct ServeOptions {
  HttpOptions http = {};
  EngineOptions engine = {};
  std::function<void()> on_stop = {};  // when the process is told to end; on a thread of its own
  skald::LoadOptions load = {};        // not those of serve/load

  std::string model = {};                 // a file or folder; empty: the embedded model
  std::vector<std::string> aliases = {};  // its names; empty: its own
  std::string models_dir = {};            // every *.gguf in it is a model; empty: there is the one model
  int64_t models_max = 4;                 // of models_dir, that are loaded at the same time
  LoraOptions loras = {};                 // without models_dir

  std::vector<std::string> api_keys = {};  // empty: any client may ask
  std::vector<std::string> cors = {};      // origins whose pages may read answers
  std::vector<std::string> allowed_hosts = {};
  std::vector<McpServer> mcp = {};  // which pages may call
  int64_t mcp_timeout = 300;        // seconds in which such a server must send a byte
  bool metrics = false, slots = true, page = true;

  int64_t n_ctx = 0;       // tokens that the caches of all requests hold together; 0: n_parallel contexts of the model
  double drain = 30;       // seconds
  double ping_every = 15;  // seconds between two signs of life while a stream waits; 0: none
  std::string chat_template = {};         // as ChatFormat's
  std::string chat_template_kwargs = {};  // more variables for it: a JSON object, or empty
  bool separate_reasoning = true;         // defaults of the requests' fields
  int64_t reasoning_budget = -1;
  std::string reasoning_effort = {};
  bool suffix_first = false;  // of prompts for infilling: the text after the gap stands first
  std::optional<Pooling> pooling = {};
  int64_t n_predict = -1;  // most tokens of an answer whose request does not say; -1: up to the end of the context
  /// Gives the sampling parameters of requests without their own, of those in the model's file; empty: the same.
  std::function<SamplingParams(const SamplingParams& of_model, const Model& model)> sampling = {};
  std::vector<std::string> peers = {};  // URLs of the servers of a fleet, whose prefixes POST /route knows
  double peers_every = 2;               // seconds between two questions to each of them
  int64_t route_pages = 4;              // first pages of a prompt, which name it to proxies
  /// Regular expressions of system texts that are left out of prompts: they change from request to request.
  std::vector<std::string> volatile_system = {"x-anthropic-billing-header:.*"};
  /// Of pages of prompts; empty: they are kept in memory alone.
  std::string prefix_cache_dir = {};
  std::string prefix_cache_url = {};       // of a server in its place; it may hold a password
  std::string prefix_cache_password = {};  // of that, in place of the URL's
  int64_t prefix_cache_bytes = int64_t{4} << 30;
  Role role = Role::kBoth;
  int64_t prefix_cache_wait = 1000;  // milliseconds for which a request waits for an answer of either
  std::string slot_save_path = {};   // folder of saved slots; empty: none can be saved
  int64_t state_cache_bytes = -1;    // for checkpoints of recurrent states; -1: a quarter of the pages' bytes
  bool read_ahead = true;            // compute the beginnings of next turns when no request needs the engine
  bool reuse_generated = false;      // take over keys of generated tokens as they are
  bool log_requests = true;          // at any SKALD_LOG
  bool log_json = false, log_prompts = false;
};

}  // namespace skald::serve
