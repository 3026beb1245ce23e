#include "cli/flags/hub.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/memory.h"
#include "base/size_text.h"
#include "base/terminal_text.h"
#include "cli/flags/common.h"
#include "cli/flags/suggest.h"
#include "cli/terminal/download_progress.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/tell.h"
#include "hub/installed.h"
#include "tools/report/cache_estimate.h"

namespace skald {
namespace {

constexpr int64_t kTokens = 8192;  // of the cache that must fit beside the weights
constexpr size_t kMostNames = 8;   // in a message

std::string in_short(const HubModel& m) {
  return fmt::format("{} {}", m.adapter ? "adapter" : m.tag.empty() ? m.path() : m.tag, size_text(m.bytes()));
}

// What was chosen and what else there is, where something is to come.
void say_choice(const HubName& name, const HubModel& chosen, const std::vector<HubModel>& all, int64_t bytes) {
  if (bytes == 0) return;
  std::vector<std::string> others;
  for (const HubModel& m : all)
    if (&m != &chosen && !m.is_part) others.push_back(in_short(m));
  const std::string rest = others.empty() ? "" : fmt::format("; there are also {}", fmt::join(others, ", "));
  tell(fmt::format("{}: {}, {} to get{}", name.repo.id(), in_short(chosen), size_text(bytes), rest));
}

std::string earlier(const HubSettings& settings, const PullOptions& o, const Error& why) {
  std::string path;
  try {
    path = find_installed(HubCache(settings.cache), o.name, o.revision, memory_rule(), o.wanted);
  } catch (const Error&) {
    throw why;
  }
  tell(fmt::format("{}; what was got before is used", why.what()));
  return path;
}

std::vector<std::string> known_names(Wanted wanted) {
  std::vector<std::string> names;
  const auto add = [&](std::string name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  };
  for (const InstalledModel& m : installed_models(HubCache(hub_settings().cache))) {
    if (!m.complete || !is_wanted(m.model, wanted)) continue;
    add(m.name.text());
    add(m.name.repo.id());
    add(m.name.repo.name);
  }
  return names;
}

std::string hint(const std::string& text, Wanted wanted) {
  const std::vector<std::string> names = known_names(wanted);
  if (names.empty()) return "; skald pull gets one";
  if (const std::string near = nearest_word(text, names); !near.empty()) return fmt::format("; did you mean {}?", near);
  std::vector<std::string> some;
  for (const std::string& name : names)
    if (name.find('/') != std::string::npos && name.find(':') == std::string::npos && some.size() < kMostNames)
      some.push_back(name);
  return fmt::format("; there are {}", fmt::join(some, ", "));
}

std::string find_by_name(const std::string& text, Wanted wanted) {
  std::error_code ignored;
  if (text.empty() || std::filesystem::exists(text, ignored)) return text;
  const bool is_path = text.starts_with('/') || text.starts_with('.') || text.find('\\') != std::string::npos;
  if (is_path) return text;  // opening it tells what is wrong
  try {
    return find_installed(HubCache(check_usage([] { return hub_settings(); }).cache), text, memory_rule(), wanted);
  } catch (Error& e) {
    if (e.code() != Errc::kNotFound) throw;
    throw Error(e.code(), e.what() + hint(text, wanted), e.where());
  }
}

}  // namespace

void HubFlags::declare(Flags& flags) {
  flags.add("-hf,-hfr,--hf-repo", repo,
            "the model from the Hugging Face hub, got unless it is there; without a tag Q4_K_M, else the largest that fits",
            "USER/REPO[:TAG]");
  flags.add("-hff,--hf-file", file, "which file of the repository that -hf names", "PATH.gguf");
  flags.add("--offline", offline, "use the model that -hf got before, without the network");
}

MemoryRule memory_rule() {
  return {.memory = available_memory(),
          .cache_bytes = [](std::string_view beginning) { return cache_estimate(beginning, kTokens); }};
}

HubName hub_name(const std::string& text) {
  return check_usage([&] { return parse_hub_name(text); });
}

std::string HubFlags::get() const {
  HubName name = hub_name(file.empty() ? repo : repo + "/" + file);
  const CatchingInterrupts catching;
  const Pulled pulled =
      get_model({.name = std::move(name), .offline = offline, .or_earlier = true, .check = throw_if_interrupted});
  throw_if_interrupted();
  return pulled.path;
}

Pulled get_model(const PullOptions& o) {
  const HubSettings settings = check_usage([] { return hub_settings(); });
  if (o.offline || settings.offline)
    return {o.name, find_installed(HubCache(settings.cache), o.name, o.revision, memory_rule(), o.wanted), {}};
  DownloadProgress progress;
  bool chosen = false;
  PullRequest request{.name = o.name, .revision = o.revision, .memory = memory_rule()};
  request.on_choice = [&](const HubModel& model, const std::vector<HubModel>& all, int64_t bytes) {
    if (!is_wanted(model, o.wanted))
      fail(Errc::kBadFile, "{}: it is an adapter (LoRA), and not a model; skald pull gets it for --lora", o.name.text());
    say_choice(o.name, model, all, bytes);
    if (o.on_choice) o.on_choice(bytes);
    progress.start(model);
    chosen = true;
  };
  request.events = {.progress = [&](const HubFile& f, int64_t done, bool checking) { progress.show(f, done, checking); },
                    .say =
                        [&](const std::string& line) {
                          progress.end();
                          tell(line);
                        },
                    .check = o.check};
  try {
    Pulled pulled = pull(settings, request);
    progress.end();
    return pulled;
  } catch (const Error& e) {
    progress.end();
    if (chosen || !o.or_earlier || e.code() != Errc::kDevice) throw;
    return {o.name, earlier(settings, o, e), {}};
  }
}

std::string find_model(const std::string& text) { return find_by_name(text, Wanted::kModel); }
std::string find_adapter(const std::string& text) { return find_by_name(text, Wanted::kAdapter); }

}  // namespace skald
