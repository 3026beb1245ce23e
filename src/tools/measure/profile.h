// Where the time of a model goes: a prefill and a decode phase, per operation.
#pragma once

#include <cstdint>
#include <string>

#include "stepping/compute.h"

namespace skald {

struct ProfileResult {
  std::string model, type;
  BackendInfo backend;
  Profile prefill, decode;
};

/// Prefills n_prompt random tokens in steps of at most `ubatch`, then decodes n_decode, after one untimed step of each kind.
ProfileResult run_profile(const LoadedModel& model, const EngineOptions& options, int64_t n_prompt, int64_t n_decode);

/// Returns the operations by time, most first: calls, milliseconds, share, GB/s, GFLOP/s.
std::string profile_markdown(const Profile& profile);
/// Returns the tokens per expert of each layer and of all; empty without experts.
std::string experts_markdown(const Profile& profile);
/// Both phases: operations as in profile_markdown, in SI units, and tokens per expert.
std::string profile_json(const ProfileResult& result);
std::string profile_csv(const ProfileResult& result);  // operations only

}  // namespace skald
