#include "cli/flags/serve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "cli/flags/drafts.h"
#include "cli/flags/pooling_word.h"
#include "cli/flags/sizes.h"
#include "cli/flags/table_flags.h"
#include "cli/flags/values.h"
#include "hub/url.h"
#include "serve/chat/volatile_text.h"
#include "serve/gate.h"
#include "serve/prefix_stores.h"
#include "text/chat/chat_json.h"

namespace skald {
namespace {

constexpr int kMostPort = 65535;
constexpr int64_t kMostMcpTimeout = 3600, kMostPeers = 256, kMostRoutePages = 1024;
constexpr float kShortestPause = 0.1f, kLongestPause = 3600;  // between questions to peers
constexpr int64_t kMostCacheWait = 60'000;

std::vector<std::string> list_of(std::string_view flag, const std::string& text) {
  return text.empty() ? std::vector<std::string>{} : comma_list(flag, text);
}

bool is_time(float seconds) { return seconds >= 0 && std::isfinite(seconds); }

}  // namespace

ServeFlags::ServeFlags(std::string_view command) : command_(command) {
  o_.engine.schedule.n_parallel = 16;
  o_.engine.cache.share_prefixes = true;
}

void ServeFlags::declare(Flags& flags) {
  model_.declare_name(flags);
  declare_models(flags);
  declare_address(flags);
  declare_scheduling(flags);
  declare_clients(flags);
  declare_cache(flags);
  declare_chats(flags);
  declare_sampling(flags);
  declare_safety(flags);
  declare_mcp(flags);
  declare_fleet(flags);
  declare_compute(flags);
  declare_lora(flags);
  declare_output(flags);
}

void ServeFlags::declare_local(Flags& flags) {
  declare_models(flags);
  declare_scheduling(flags);
  declare_cache(flags);
  declare_chats(flags);
  declare_sampling(flags);
  declare_compute(flags);
  declare_lora(flags);
}

void ServeFlags::declare_compute(Flags& flags) {
  compute_.declare(flags);
  sparq_.declare(flags);
  model_.declare_calibration(flags);
  model_.declare_rope(flags);
}

void ServeFlags::declare_lora(Flags& flags) {
  model_.declare_lora(flags);
  flags.add("--lora-init-without-apply", lora_waits_,
            "load adapters of --lora with the scale 0, until POST /lora-adapters or a request's field lora says otherwise");
  flags.add("--lora-modules", lora_modules_,
            "adapters that requests name as their model, as vLLM has them; may be given several times", "NAME=FILE[,...]");
  flags.add("--lora-dir", lora_dir_,
            "folder of adapters that clients may load and unload while the server runs (POST /v1/load_lora_adapter)", "DIR");
}

void ServeFlags::declare_models(Flags& flags) {
  model_.declare(flags);
  flags.add("-a,--alias", aliases_, "names of the model: the first stands in answers, requests may use all", "NAME,...");
  flags.add("--models-dir", o_.models_dir,
            "serve every *.gguf of a folder by its name; a model is loaded when it is asked for", "DIR");
  flags.add("--models-max", o_.models_max, "models of --models-dir that are loaded at the same time");
  flags.add("--pooling", pooling_,
            "how the states of a text's tokens become its embedding. Default: that of the model's file",
            "none|mean|cls|last|rank");
}

void ServeFlags::declare_address(Flags& flags) {
  flags.group("Network");
  flags.add("--host", o_.http.host, "address to listen at, or path of a UNIX socket that ends in .sock", "ADDRESS");
  flags.add("--port", o_.http.port, "port to listen at; 0: any free one");
  flags.add("--address-file", address_file_, "write the address there once the server listens; removed at its end", "FILE");
  flags.add("--timeout", timeout_, "close a connection on which no byte moves for this many seconds", "S");
  flags.add("--request-timeout", request_timeout_, "seconds in which a request must have come", "S");
  flags.add("--drain", drain_, "seconds that running requests have to end when the server is told to stop", "S");
  flags.add("--max-body", max_body_, "longest body of a request", "BYTES");
  flags.add(
      "--max-body-total", max_body_total_,
      "bytes held of all bodies, of requests and of answers that are not read; one client has as many as it leaves for "
      "others. Default: 1G, and at least four times --max-body",
      "BYTES");
  flags.add("--max-connections", o_.http.max_connections, "clients that are connected at the same time");
  flags.add("--stream-buffer", stream_buffer_,
            "bytes kept for a client that reads slowly; then its texts pause, and whole answers must be read in time",
            "BYTES");
  flags.add("--sse-ping-interval", ping_, "seconds between two signs of life while a stream waits; 0: none", "S");
  flags.add("--ssl-key-file", o_.http.ssl_key, "private key for HTTPS", "FILE");
  flags.add("--ssl-cert-file", o_.http.ssl_cert, "certificate for HTTPS", "FILE");
}

void ServeFlags::declare_scheduling(Flags& flags) {
  ScheduleOptions& schedule = o_.engine.schedule;
  flags.group("Scheduling and cache");
  add_option(flags, "cache.n_ctx", o_.n_ctx,
             "tokens that the cache of all requests together holds; 0: the model's context for each slot of -np");
  add_option(flags, "schedule.n_parallel", schedule.n_parallel, "texts that are written at the same time; more wait");
  add_option(flags, "schedule.n_batch", schedule.n_batch);
  o_.engine.draft.kind = "auto";
  declare_drafts(flags, o_.engine.draft);
}

void ServeFlags::declare_clients(Flags& flags) {
  add_option(flags, "schedule.max_waiting", queue_);
  add_option(flags, "schedule.max_itl_ms", max_itl_);
  flags.add(
      "--read-ahead,!--no-read-ahead", o_.read_ahead,
      "when a chat has ended, compute the beginning of its next turn while no other request needs the engine, the default");
  flags.add("--slot-save-path", o_.slot_save_path,
            "folder of the slots' prompts, saved and restored by POST /slots/{id}?action=save; it then holds prompts",
            "DIR");
}

void ServeFlags::declare_cache(Flags& flags) {
  flags.add("--prefix-cache,!--no-prefix-cache", prefix_cache_,
            "keep computed pages for prompts that begin alike, the default");
  flags.add("--prefix-cache-dir", o_.prefix_cache_dir,
            "folder that keeps it beyond memory and from start to start; it then holds prompts, and servers may share it",
            "DIR");
  store_.declare(
      flags,
      "server that keeps it in place of a folder, for any machines: redis://[USER@]HOST[:PORT][/DATABASE], rediss:// with "
      "TLS, unix:///SOCKET, or s3://BUCKET[/PREFIX][?endpoint=URL&region=NAME]. Keys of S3 are in AWS_ACCESS_KEY_ID and its "
      "like");
  flags.add(
      "--prefix-cache-size", prefix_cache_size_,
      "most bytes of the folder: the least recently used pages go. Redis with a maxmemory keeps that; another one gets "
      "no more pages while it holds this many bytes",
      "BYTES");
  flags.add("--prefix-cache-wait", o_.prefix_cache_wait,
            "milliseconds for which a request waits for an answer of the folder or server; then all go on without it", "MS");
  flags.add("--state-cache-size", state_cache_size_,
            "memory for recurrent states that prompts can be taken up at. Default: a quarter of the pages' memory", "BYTES");
  flags.add(
      "--reuse-generated", o_.reuse_generated,
      "take over generated tokens as they were computed: a next turn may then differ in the last bits from a cold one");
  add_option(flags, "cache.swa_sinks", o_.engine.cache.swa_sinks);
}

void ServeFlags::declare_chats(Flags& flags) {
  template_.declare(flags);
  flags.add(
      "--volatile-system", volatile_,
      "regular expression of a system block, or of a system text's first line. Prompts leave it out since it changes from "
      "request to request. May be given several times. Default: x-anthropic-billing-header:.*",
      "REGEX");
  flags.add("--no-volatile-system", no_volatile_, "leave nothing out of system texts");
  flags.add("--spm-infill", o_.suffix_first,
            "prompts for infilling have the text after the gap first, then the text before it, as some models want");
  flags.add("--reasoning-format", reasoning_format_, "none: thinking is content; auto: it is told apart", "none|auto");
  flags.add("--reasoning-budget", o_.reasoning_budget, "most tokens of thinking, 0: none, -1: any number");
  flags.add("--reasoning-effort", o_.reasoning_effort, "for templates that know it: minimal, low, medium or high", "EFFORT");
  flags.offer({"minimal", "low", "medium", "high"});
}

void ServeFlags::declare_sampling(Flags& flags) {
  sampling_.declare(flags);  // what requests get that say nothing
  flags.add("-n,--predict,--n-predict", o_.n_predict,
            "most tokens of an answer whose request does not say; -1: up to the end of the context");
}

void ServeFlags::declare_safety(Flags& flags) {
  flags.group("Safety");
  flags.add("--api-key", api_keys_, "key that clients must send; may be given several times", "KEY");
  flags.add("--api-key-file", api_key_file_, "file with such keys, a line each", "FILE");
  flags.add("--cors", cors_, "origins whose web pages may read answers", "ORIGIN,...");
  flags.add("--allowed-hosts", hosts_, "names under which the server may be reached beside its addresses", "HOST,...");
}

void ServeFlags::declare_mcp(Flags& flags) {
  flags.group("Tools");
  flags.add("--mcp", mcp_,
            "MCP server (streamable HTTP) whose tools chats of the web page may call, after the user's word; may be given "
            "several times",
            "[NAME=]URL");
  flags.add("--mcp-headers", mcp_headers_,
            "file with headers for that server's requests, a line each: \"Authorization: Bearer TOKEN\"; may be given "
            "several times",
            "NAME=FILE");
  flags.add("--mcp-timeout", o_.mcp_timeout, "seconds in which an MCP server must send a byte of its answer", "S");
}

void ServeFlags::declare_fleet(Flags& flags) {
  flags.group("Fleet");
  flags.add("--role", role_,
            "prefill: read prompts for other servers, and answer with the name of their pages in the store "
            "(--prefix-cache-dir, --prefix-cache-url); decode: write texts that go on from there. Default: both",
            "both|prefill|decode");
  flags.add("--peers", peers_,
            "URLs of the servers of a fleet, this one too: they tell each other which prompts they have, for POST /route",
            "URL,...");
  flags.add("--peers-interval", peers_every_, "seconds between two questions to each of them", "S");
  flags.add("--route-pages", o_.route_pages,
            "first pages of 64 tokens that name a prompt in X-Skald-Prefix; the same on all servers");
}

void ServeFlags::declare_output(Flags& flags) {
  flags.group("Output");
  flags.add("--metrics", o_.metrics, "GET /metrics in Prometheus' format");
  flags.add("--slots,!--no-slots", o_.slots, "GET /slots, the default");
  flags.add("--webui,--ui,!--no-webui,!--no-ui", o_.page, "the web page at /, the default");
  flags.add("--log-jsonl", o_.log_json, "log lines as JSON objects");
  flags.add("--log-prompts", o_.log_prompts, "log prompts and answers too");
}

void ServeFlags::want(bool good, const char* flag, const char* what) const {
  if (!good) throw UsageError(fmt::format("{}: {}: want {}", command_, flag, what));
}

std::vector<std::string> ServeFlags::keys() const {
  std::vector<std::string> out = api_keys_;
  if (api_key_file_.empty()) return out;
  const std::string text = read_text(api_key_file_);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of("\r\n", at), text.size());
    if (end > at) out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (out.empty()) throw UsageError(command_ + ": --api-key-file " + api_key_file_ + ": there is no key in it");
  return out;
}

std::vector<serve::McpServer> ServeFlags::mcp_servers() const {
  std::vector<serve::McpServer> out;
  const auto named = [&](std::string_view name) { return std::ranges::find(out, name, &serve::McpServer::name); };
  for (const std::string& text : mcp_) {
    serve::McpServer server = check_usage([&] { return doing("--mcp", [&] { return serve::read_mcp_server(text); }); });
    if (named(server.name) != out.end())
      throw UsageError(fmt::format("{}: --mcp: two servers are named {}: want NAME=URL", command_, server.name));
    out.push_back(std::move(server));
  }
  for (const std::string& text : mcp_headers_) {
    const size_t equals = text.find('=');
    want(equals != text.npos, "--mcp-headers", "NAME=FILE");
    const std::string name = text.substr(0, equals), file = text.substr(equals + 1);
    const auto server = named(name);
    if (server == out.end()) throw UsageError(fmt::format("{}: --mcp-headers: no --mcp has the name {}", command_, name));
    server->headers = check_usage([&] { return doing(file, [&] { return serve::read_mcp_headers(read_text(file)); }); });
  }
  return out;
}

std::vector<std::string> ServeFlags::peers() const {
  std::vector<std::string> out = list_of("--peers", peers_);
  want(std::ssize(out) <= kMostPeers, "--peers", "at most 256 URLs");
  for (std::string& url : out) {
    check_usage([&] { doing("--peers", [&] { check_web_url(url); }); });
    while (url.ends_with('/')) url.pop_back();
  }
  return out;
}

// Tools act with the operator's rights.
void ServeFlags::check_mcp(const serve::ServeOptions& options) const {
  const bool reached = !serve::listens_here_only(options) && !options.http.host.ends_with(".sock");
  if (!options.mcp.empty() && options.api_keys.empty() && reached)
    throw UsageError(command_ + ": --mcp: want --api-key-file where other machines reach the address (--host)");
}

void ServeFlags::check_ranges() const {
  want(o_.http.port >= 0 && o_.http.port <= kMostPort, "--port", "0 to 65535");
  want(o_.n_ctx >= 0, "-c", "0 (the model's context for each place) or more tokens");
  want(o_.engine.schedule.n_parallel >= 1, "-np", "at least 1");
  want(queue_ >= 0, "--queue", "0 or more");
  want(o_.n_predict >= -1, "-n", "-1 (up to the end of the context) or more tokens");
  want(o_.models_max >= 1, "--models-max", "at least 1");
  want(o_.http.max_connections >= 1, "--max-connections", "at least 1");
  want(is_time(timeout_), "--timeout", "seconds, 0 (none) or more");
  want(is_time(request_timeout_) && request_timeout_ > 0, "--request-timeout", "seconds, more than 0");
  want(is_time(drain_), "--drain", "seconds, 0 or more");
  want(is_time(max_itl_), "--max-itl", "milliseconds, 0 (no bound) or more");
  want(peers_every_ >= kShortestPause && peers_every_ <= kLongestPause, "--peers-interval", "0.1 to 3600 seconds");
  want(o_.route_pages >= 1 && o_.route_pages <= kMostRoutePages, "--route-pages", "1 to 1024");
  want(o_.mcp_timeout >= 1 && o_.mcp_timeout <= kMostMcpTimeout, "--mcp-timeout", "1 to 3600 seconds");
  want(is_time(ping_), "--sse-ping-interval", "seconds, 0 (none) or more");
  want(o_.reasoning_budget >= -1, "--reasoning-budget", "-1 (any number) or more");
  want(o_.http.ssl_key.empty() == o_.http.ssl_cert.empty(), "--ssl-key-file", "--ssl-cert-file with it");
  check_prefix_cache();
  if (!prefix_cache_ && !o_.slot_save_path.empty())
    throw UsageError(command_ + ": --slot-save-path does not go with --no-prefix-cache: slots are saved from it");
  if (!prefix_cache_ && !peers_.empty())
    throw UsageError(command_ + ": --peers does not go with --no-prefix-cache: peers tell each other of it");
  if (!o_.models_dir.empty() && compute_.options.device.on_ranks())
    throw UsageError(command_ +
                     ": --models-dir does not go with --tensor-parallel and --pipeline-parallel: ranks have one model");
  if (!o_.models_dir.empty() && (model_.given() || !aliases_.empty()))
    throw UsageError(command_ + ": --models-dir does not go with -m and -a: each model has its file's name");
}

void ServeFlags::check_prefix_cache() const {
  const bool in_folder = !o_.prefix_cache_dir.empty(), on_server = !store_.url.empty();
  if (!prefix_cache_ && (in_folder || on_server))
    throw UsageError(fmt::format("{}: {} does not go with --no-prefix-cache", command_,
                                 in_folder ? "--prefix-cache-dir" : "--prefix-cache-url"));
  if (in_folder && on_server)
    throw UsageError(command_ + ": --prefix-cache-url does not go with --prefix-cache-dir: want one of them");
  want(o_.prefix_cache_wait >= 1 && o_.prefix_cache_wait <= kMostCacheWait, "--prefix-cache-wait",
       "1 to 60000 milliseconds");
}

serve::Role ServeFlags::role() const {
  constexpr std::array kRoles = {serve::Role::kBoth, serve::Role::kPrefill, serve::Role::kDecode};
  const auto* const role = std::ranges::find(kRoles, role_, serve::role_name);
  SKALD_ASSERT(role != kRoles.end());
  if (*role != serve::Role::kBoth && o_.prefix_cache_dir.empty() && store_.url.empty())
    throw UsageError(fmt::format(
        "{}: --role {}: want --prefix-cache-dir or --prefix-cache-url: servers pass pages on by a store", command_, role_));
  return *role;
}

// A bucket of S3 keeps no size.
void ServeFlags::set_prefix_cache(const Flags& flags, serve::ServeOptions& out) const {
  out.prefix_cache_bytes = parse_size("--prefix-cache-size", prefix_cache_size_);
  if (store_.url.starts_with("s3:") && flags.given("--prefix-cache-size"))
    throw UsageError(command_ + ": --prefix-cache-size does not bound a bucket of S3: give it a rule of its lifecycle");
  out.prefix_cache_url = store_.url;
  out.prefix_cache_password = store_.password(command_);
  check_usage([&] { doing("--prefix-cache-url", [&] { serve::check_prefix_store(out); }); });
}

serve::LoraOptions ServeFlags::loras() const {
  serve::LoraOptions out{.files = model_.lora.merge ? std::vector<LoraFile>{} : model_.lora.files(),
                         .apply = !lora_waits_,
                         .modules = {},
                         .dir = lora_dir_};
  for (const std::string& list : lora_modules_)
    for (const std::string& word : comma_list("--lora-modules", list)) {
      const size_t equals = word.find('=');
      want(equals != word.npos && equals > 0 && equals + 1 < word.size(), "--lora-modules", "NAME=FILE");
      out.modules.push_back({.name = word.substr(0, equals), .path = find_adapter(word.substr(equals + 1))});
      const std::string& name = out.modules.back().name;
      if (std::ranges::count(out.modules, name, &serve::LoraModule::name) > 1)
        throw UsageError(fmt::format("{}: --lora-modules: two adapters are named {}", command_, name));
    }
  want(lora_dir_.empty() || std::filesystem::is_directory(lora_dir_), "--lora-dir", "a folder");
  if ((out.any() || model_.lora.merge) && !o_.models_dir.empty())
    throw UsageError(command_ + ": --models-dir does not go with adapters, which are of one model");
  return out;
}

std::string ServeFlags::kwargs() const {
  if (template_.kwargs.empty()) return {};
  const nlohmann::ordered_json said = parse_chat_json(template_.kwargs, "--chat-template-kwargs");
  want(said.is_object(), "--chat-template-kwargs", "a JSON object");
  return said.dump();
}

int64_t ServeFlags::body_total(int64_t max_body) const {
  constexpr int64_t kUsual = int64_t{1} << 30;
  if (max_body_total_.empty()) return std::max(kUsual, 4 * max_body);
  const int64_t out = parse_size("--max-body-total", max_body_total_);
  if (out < 2 * max_body)
    throw UsageError(fmt::format("{}: --max-body-total: want at least twice --max-body, which is {}", command_, max_body));
  return out;
}

serve::ServeOptions ServeFlags::checked(const Flags& flags) const {
  check_ranges();
  check_drafts(flags, o_.engine.draft);
  template_.check(command_);
  serve::ServeOptions out = o_;
  const EngineOptions computed = compute_.with(model_);
  out.engine.device = computed.device;
  const CacheOptions own = o_.engine.cache;
  out.engine.cache = computed.cache;
  out.engine.cache.swa_sinks = own.swa_sinks;
  out.engine.cache.share_prefixes = prefix_cache_;
  out.engine.cache.sparq = sparq_.checked(compute_);
  out.engine.schedule.n_ubatch = computed.schedule.n_ubatch;
  out.engine.schedule.max_waiting = queue_;
  out.engine.schedule.max_itl_ms = max_itl_;
  check_usage([&] { out.engine.check(); });
  sampling_.checked();
  out.sampling = [flags = sampling_](const SamplingParams& of_model, const Model& model) {
    SamplingParams out = flags.with(of_model, [&](std::span<const std::string> texts) { return model.dry_breakers(texts); });
    out.check(model.n_vocab());
    return out;
  };
  out.load = model_.options(out.engine.draft.mtp());
  out.loras = loras();
  out.aliases = list_of("--alias (-a)", aliases_);
  out.cors = list_of("--cors", cors_);
  out.allowed_hosts = list_of("--allowed-hosts", hosts_);
  out.api_keys = keys();
  out.mcp = mcp_servers();
  check_mcp(out);
  out.peers = peers();
  out.peers_every = peers_every_;
  out.http.timeout = timeout_;
  out.http.request_timeout = request_timeout_;
  out.http.max_body = parse_size("--max-body", max_body_);
  out.http.max_body_total = body_total(out.http.max_body);
  out.role = role();
  set_prefix_cache(flags, out);
  if (!state_cache_size_.empty()) out.state_cache_bytes = parse_size("--state-cache-size", state_cache_size_);
  out.http.stream_buffer = parse_size("--stream-buffer", stream_buffer_);
  out.drain = drain_;
  out.ping_every = ping_;
  out.pooling = pooling_of(command_, pooling_);
  out.separate_reasoning = reasoning_format_ == "auto";
  if (!volatile_.empty()) out.volatile_system = volatile_;
  if (no_volatile_) out.volatile_system.clear();
  check_usage([&] { doing("--volatile-system", [&] { serve::VolatileText{out.volatile_system}; }); });
  if (template_.given()) out.chat_template = template_.source(nullptr, false);
  out.chat_template_kwargs = kwargs();
  if (out.models_dir.empty()) out.model = model_.file();
  return out;
}

}  // namespace skald
