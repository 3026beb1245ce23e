#include "cli/flags/llama.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <system_error>

#include "cli/flags/flag_table.h"
#include "cli/flags/flags.h"
#include "cli/terminal/tell.h"

namespace skald {
namespace {

constexpr auto kNone = LlamaFlag::Value::kNone, kOne = LlamaFlag::Value::kOne, kMaybe = LlamaFlag::Value::kMaybe;
constexpr auto kSay = LlamaFlag::Else::kSay, kRefuse = LlamaFlag::Else::kRefuse;

constexpr std::string_view kNoDevice = "not supported: there are no devices of other machines; leave it out";
constexpr std::string_view kNoChat =
    "not supported here: skald chat has it; elsewhere use -p with what skald template makes";
constexpr std::string_view kNoNetwork = "not supported: use -hf USER/REPO, or download the file and use -m FILE";
constexpr std::string_view kNoTokenFlag =
    "not supported: everybody on this machine can read a command line; use HF_TOKEN, or HF_TOKEN_PATH for a file with it";
constexpr std::string_view kNoAdapter =
    "not supported here: merge the adapter into the model with skald export-lora, and use -m with the result";
constexpr std::string_view kNoDraft = "not supported: leave it out, the text is the same; see --spec, -md and --draft-max";
constexpr std::string_view kNoImages = "not supported: Skald reads text only; leave it out";
constexpr std::string_view kNoTools =
    "not supported: the server runs no tools; requests bring their own, and the page calls servers of --mcp";
constexpr std::string_view kLog = "use SKALD_LOG=error|warn|info|debug, which sets what is logged on stderr";
constexpr std::string_view kCpus = "not supported: use --cpu-range (-Cr)";
constexpr std::string_view kNoList = "not supported: use skald devices";

constexpr LlamaFlag kLlamaFlags[] = {
    // Devices: layers are not spread over several.
    {"-sm,--split-mode", kOne, "*", kSay, "", "LLAMA_ARG_SPLIT_MODE", "none layer row tensor"},
    {"-ts,--tensor-split", kOne, "*", kSay, "", "LLAMA_ARG_TENSOR_SPLIT"},
    {"-mg,--main-gpu", kOne, "*", kSay, "", "LLAMA_ARG_MAIN_GPU", "N"},
    {"-ncffn,--n-cpu-ffn,--moe-cache-mib", kOne, "*", kSay, "", "LLAMA_ARG_MOE_CACHE_MIB", "N"},
    {"-kvo,--kv-offload,-nkvo,--no-kv-offload", kNone, "*", kSay, "", "LLAMA_ARG_KV_OFFLOAD"},
    {"--op-offload,--no-op-offload,--no-host", kNone, "*", kSay, ""},
    {"-fit,--fit", kMaybe, "*", kSay, "", "LLAMA_ARG_FIT", "on off"},
    {"-fitt,--fit-target,-fitc,--fit-ctx", kOne, "*", kSay, ""},
    {"--rpc", kOne, "", kRefuse, kNoDevice, "LLAMA_ARG_RPC"},
    {"--list-devices", kNone, "", kRefuse, kNoList},
    // Threads: where they run and how they wait changes no text.
    {"--poll,--poll-batch,--prio,--prio-batch,--cpu-strict,--cpu-strict-batch", kOne, "*", kSay, "", "", "N"},
    {"-C,--cpu-mask,-Cb,--cpu-mask-batch", kOne, "", kRefuse, kCpus},
    {"-Crb,--cpu-range-batch", kOne, "", kRefuse, kCpus},
    // The cache and batches.
    {"-fa,--flash-attn", kMaybe, "on auto 1 true enabled", kSay,
     "attention is fused all the same, the text is the same but for rounding; use --no-fused for steps one by one",
     "LLAMA_ARG_FLASH_ATTN", "on off auto 1 0 true false enabled disabled"},
    {"-cb,--cont-batching,-nocb,--no-cont-batching", kNone, "*", kSay, "", "LLAMA_ARG_CONT_BATCHING"},
    {"-np,--parallel", kOne, "1 -1", kRefuse, "not supported: there is one sequence here; use skald bench -B for more",
     "LLAMA_ARG_N_PARALLEL", "N"},
    {"-kvu,--kv-unified,-no-kvu,--no-kv-unified,--swa-full", kNone, "*", kSay, "", "LLAMA_ARG_SWA_FULL"},
    {"-dt,--defrag-thold", kOne, "*", kSay, "", "LLAMA_ARG_DEFRAG_THOLD"},
    {"--prompt-cache", kOne, "", kSay, "no cache of prompts is read or written: the prompt is computed anew"},
    {"--prompt-cache-all,--prompt-cache-ro,--cache-prompt,--no-cache-prompt,--cache-idle-slots,--no-cache-idle-slots", kNone,
     "*", kSay, ""},
    {"-gan,--grp-attn-n", kOne, "1", kRefuse,
     "not supported: there is no group attention; use --rope-scaling and --rope-scale", "LLAMA_ARG_GRP_ATTN_N"},
    {"-ctxcp,--ctx-checkpoints,--swa-checkpoints,-cms,--checkpoint-min-step,-cram,--cache-ram", kOne, "*", kSay, "",
     "LLAMA_ARG_CTX_CHECKPOINTS", "N"},
    {"-gaw,--grp-attn-w", kOne, "*", kSay, "", "LLAMA_ARG_GRP_ATTN_W"},
    // Models.
    {"--check-tensors", kNone, "*", kSay, ""},
    {"-lzm,--lazy-mode", kOne, "*", kSay, "", "LLAMA_ARG_LAZY_MODE"},
    {"-mmp", kOne, "1", kRefuse, "not supported: use --no-mmap"},
    {"-dio,--direct-io,-ndio,--no-direct-io", kNone, "*", kSay, "", "LLAMA_ARG_DIO"},
    {"-hft,--hf-token", kOne, "", kRefuse, kNoTokenFlag},
    {"-mu,--model-url", kOne, "", kRefuse, kNoNetwork, "LLAMA_ARG_MODEL_URL"},
    {"-dr,--docker-repo", kOne, "", kRefuse, kNoNetwork, "LLAMA_ARG_DOCKER_REPO"},
    {"-hfv,-hfrv,--hf-repo-v,-hffv,--hf-file-v", kOne, "", kRefuse, kNoNetwork},
    {"-cl,--cache-list", kNone, "", kRefuse, "not supported: use skald list"},
    {"--lora,--lora-scaled", kOne, "", kRefuse, kNoAdapter},
    {"-hfd,-hfrd,--hf-repo-draft,--spec-type,--draft-p-split", kOne, "", kRefuse, kNoDraft},
    {"-ngld,--gpu-layers-draft,--n-gpu-layers-draft,-devd,--device-draft,-cd,--ctx-size-draft", kOne, "", kRefuse, kNoDraft},
    {"-td,--threads-draft,-tbd,--threads-batch-draft,-ctkd,--cache-type-k-draft,-ctvd,--cache-type-v-draft", kOne, "",
     kRefuse, kNoDraft},
    {"--spec-draft-model,--spec-draft-n-max,--spec-draft-n-min,--spec-draft-p-min,--spec-draft-ngl,--spec-draft-hf", kOne,
     "", kRefuse, kNoDraft},
    {"--spec-draft-type-k,--spec-draft-type-v,-lcs,--lookup-cache-static,-lcd,--lookup-cache-dynamic", kOne, "", kRefuse,
     kNoDraft},
    {"-mm,--mmproj,--image,--audio", kOne, "", kRefuse, kNoImages, "LLAMA_ARG_MMPROJ"},
    {"-mmu,--mmproj-url", kOne, "", kRefuse, kNoImages, "LLAMA_ARG_MMPROJ_URL"},
    {"-mmdev,--mmproj-device,--image-min-tokens,--image-max-tokens", kOne, "*", kSay, ""},
    {"--no-mmproj,--no-mmproj-offload,--mmproj-offload,--mmproj-auto,--no-mmproj-auto", kNone, "*", kSay, ""},
    // Chats. Text is continued as it is, so that switching them off changes nothing.
    {"-no-cnv,--no-conversation,--jinja,--no-jinja", kNone, "*", kSay, "", "LLAMA_ARG_JINJA"},
    {"-cnv,--conversation,-i,--interactive,-if,--interactive-first,-mli,--multiline-input", kNone, "", kRefuse, kNoChat},
    {"-st,--single-turn,--in-prefix-bos", kNone, "", kRefuse, kNoChat},
    {"-sys,--system-prompt,-sysf,--system-prompt-file,--in-prefix,--in-suffix", kOne, "", kRefuse, kNoChat},
    {"--chat-template", kOne, "", kRefuse, kNoChat, "LLAMA_ARG_CHAT_TEMPLATE"},
    {"--chat-template-file", kOne, "", kRefuse, kNoChat, "LLAMA_ARG_CHAT_TEMPLATE_FILE"},
    {"--chat-template-kwargs", kOne, "", kRefuse, kNoChat},
    {"--reasoning-format,--reasoning-budget-message", kOne, "*", kSay, "", "LLAMA_ARG_THINK"},
    {"--reasoning-budget", kOne, "-1", kRefuse, kNoChat, "LLAMA_ARG_THINK_BUDGET"},
    {"--reasoning-preserve,--no-reasoning-preserve", kNone, "*", kSay, ""},
    {"--reasoning-effort", kOne, "default", kRefuse, kNoChat, "LLAMA_ARG_REASONING_EFFORT"},
    {"-rea,--reasoning", kMaybe, "*", kSay, "", "LLAMA_ARG_REASONING"},
    {"--skip-chat-parsing,--no-skip-chat-parsing", kNone, "*", kSay, ""},
    // Sampling.
    {"-bs,--backend-sampling", kNone, "*", kSay, "", "LLAMA_ARG_BACKEND_SAMPLING"},
    // What is printed.
    {"--perf,--no-perf,--simple-io,--escape,-e,--no-escape", kNone, "*", kSay, ""},
    {"--display-prompt,--no-display-prompt,--warmup,--no-warmup", kNone, "*", kSay, ""},
    {"-co,--color", kMaybe, "*", kSay, ""},
    {"-sp,--special", kNone, "", kRefuse, "not supported: use --print-ids, and skald detokenize --special"},
    {"--verbose-prompt", kNone, "", kSay, "use skald tokenize, which shows a prompt's tokens"},
    {"-ptc,--print-token-count", kOne, "-1", kSay, "stderr tells at the end how many tokens there were"},
    {"-bf,--binary-file", kOne, "", kRefuse, "not supported: use -f, which takes any bytes but one newline at the end"},
    {"-v,--verbose,--log-verbose,--log-disable", kNone, "", kSay, kLog},
    {"--log-prefix,--no-log-prefix,--log-timestamps,--no-log-timestamps,--log-jsonl,--no-log-jsonl", kNone, "", kSay, kLog},
    {"-lv,--verbosity,--log-verbosity,--log-file", kOne, "", kSay, kLog},
    {"--log-colors", kMaybe, "", kSay, kLog},
    {"--completion-bash", kNone, "", kRefuse, "not supported: use --help"},
    {"--license", kNone, "", kRefuse, "not supported: Skald's licence is Apache-2.0"},
    // The server: those that skald serve does not have itself. Its pages and endpoints are there without a switch.
    {"--threads-http,--cache-reuse,--slots-idle,--tags", kOne, "*", kSay, ""},
    {"--props,--embedding,--embeddings,--rerank,--reranking,--no-context-shift", kNone, "*", kSay, ""},
    {"--reuse-port", kNone, "", kSay, "nothing is different here: leave it out"},
    {"--context-shift", kNone, "", kRefuse, "not supported: an answer ends where the context is full; skald run has it",
     "LLAMA_ARG_CONTEXT_SHIFT"},
    {"--path", kOne, "", kRefuse, "not supported: the page is part of the program; a proxy serves other files"},
    {"--api-prefix", kOne, "", kRefuse, "not supported: let a proxy take the prefix away"},
    {"--media-path", kOne, "", kRefuse, kNoImages},
    {"--models-preset", kOne, "", kRefuse, "not supported: use --models-dir, whose models share the server's flags"},
    {"--tools", kOne, "", kRefuse, kNoTools},
    {"-ag,--agent,-no-ag,--no-agent,--webui-mcp-proxy,--no-webui-mcp-proxy", kNone, "", kRefuse, kNoTools},
};

// One of the words or names of a list.
bool holds(std::string_view list, char separator, std::string_view wanted) {
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find(separator, at), list.size());
    if (list.substr(at, end - at) == wanted) return true;
    at = end + 1;
  }
  return false;
}

bool is_number(const std::string& text, double& value) {
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

// "0.0" is "0".
bool is_same(std::string_view same, std::string_view value) {
  if (same == "*" || holds(same, ' ', value)) return true;
  double a = 0, b = 0;
  return is_number(std::string(value), a) && is_number(std::string(same.substr(0, same.find(' '))), b) && a == b;
}

bool is_one_of(std::string_view takes, std::string_view value) {
  if (takes.empty() || holds(takes, ' ', value)) return true;
  int64_t n = 0;
  const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), n);
  return holds(takes, ' ', "N") && error == std::errc{} && stop == value.data() + value.size();
}

}  // namespace

bool takes_llama_flags(const FlagTable& table) { return table.find("--threads") && table.find("--model"); }

const LlamaFlag* find_llama_flag(std::string_view name) {
  const auto* const at =
      std::ranges::find_if(kLlamaFlags, [&](const LlamaFlag& flag) { return holds(flag.names, ',', name); });
  return at == std::end(kLlamaFlags) ? nullptr : at;
}

std::span<const LlamaFlag> llama_flags() { return kLlamaFlags; }

void take_llama_flag(const LlamaFlag& flag, std::string_view command, const std::string& written, std::string_view value,
                     bool from_environment) {
  if (!value.empty() && !is_one_of(flag.takes, value)) {
    const std::string line = fmt::format("{}: {}: no such value; want {}", command, written, flag.takes);
    if (from_environment) return tell(line);
    throw UsageError(line);
  }
  // A flag whose value is left out means its first one: "-fa".
  const bool bare = value.empty() && flag.value == LlamaFlag::Value::kMaybe && !flag.same.empty();
  if (bare || is_same(flag.same, value)) return;
  const std::string line = fmt::format("{}: {}: {}", command, written, flag.why);
  if (flag.otherwise == LlamaFlag::Else::kSay || from_environment) return tell(line);
  throw UsageError(line);
}

}  // namespace skald
