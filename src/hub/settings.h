// The hub's address, the user's token, and the folder of models, by the variables that huggingface_hub reads.
#pragma once

#include <functional>
#include <string>

namespace skald {

struct HubSettings {
  std::string endpoint;  // "https://huggingface.co", without a slash at its end
  std::string token;     // empty: none; never shown
  std::string cache;     // the folder of models--USER--REPO
  bool offline = false;
};

/// Returns the environment's value of a name; null: it has none.
using Environment = std::function<const char*(const char*)>;

/// HF_ENDPOINT; HF_TOKEN, else the file HF_TOKEN_PATH, else $HF_HOME/token; HF_HUB_CACHE, else $HF_HOME/hub; HF_HUB_OFFLINE.
/// HF_HOME is $XDG_CACHE_HOME/huggingface unless set, and that ~/.cache/huggingface. "~" and $NAME in paths are replaced.
/// Throws kBadInput for an endpoint that is no URL, and for a token that cannot be one, without showing it.
/// https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables
HubSettings hub_settings(const Environment& environment);
/// Of this process.
HubSettings hub_settings();

}  // namespace skald
