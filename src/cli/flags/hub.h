// -hf and what goes with it: a model from the hub; and names of models and adapters that are there already.
#pragma once

#include <string>
#include <string_view>

#include "cli/flags/flags.h"
#include "hub/installed.h"

namespace skald {

struct HubFlags {
  std::string repo, file;
  bool offline = false;

  /// -hf, --hf-file and --offline.
  void declare(Flags& flags);
  bool given() const { return !repo.empty(); }
  /// The path of the model that -hf names, which is got unless it is there. Throws UsageError, Error.
  std::string get() const;
};

/// What fits into the memory that there is, with a cache of 8192 tokens.
MemoryRule memory_rule();

/// USER/REPO[:TAG|/PATH.gguf]; throws UsageError.
HubName hub_name(const std::string& text);

struct PullOptions {
  HubName name;
  std::string revision = "main";
  bool offline = false;
  bool or_earlier = false;  // where the hub cannot be asked, what was got before does
  Wanted wanted = Wanted::kModel;
  std::function<void(int64_t bytes)> on_choice = {};  // hears what is to come; may end it by throwing
  std::function<void()> check = {};                   // called several times a second; may throw
};

/// Gets the model or adapter, or with `offline` finds it. Says on stderr what is chosen, and how far it is.
Pulled get_model(const PullOptions& options);

/// What `-m TEXT` or a word in its place means: a path that is there, else the path of the model that was got by this name,
/// else the text as it is where it can be no name. Throws Error (kNotFound) with names that are near.
std::string find_model(const std::string& text);
/// The same of an adapter, as --lora has it.
std::string find_adapter(const std::string& text);

}  // namespace skald
