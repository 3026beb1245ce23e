#include <fmt/format.h>

#include "tools/doctor/advice.h"

namespace skald {

void advise_store(const StoreFacts& store, std::vector<Advice>& out) {
  constexpr double kFar = 0.1;  // seconds
  if (!store.error.empty()) {
    out.push_back({"store", fmt::format("The server of prompts, {}, cannot be used: {}.", store.label, store.error),
                   "Start it, or correct --prefix-cache-url, the password's file or the keys."});
    return;
  }
  if (!store.bounded)
    out.push_back({"store", fmt::format("No rule bounds the bytes that {} keeps: {}.", store.label, store.limit),
                   store.kind == "s3" ? "Give the bucket a rule that expires objects after some days."
                                      : "Set maxmemory and maxmemory-policy allkeys-lru on the server."});
  if (store.seconds > kFar)
    out.push_back(
        {"store",
         fmt::format("{} answers after {:.0f} ms: each new prompt waits as long.", store.label, store.seconds * 1000),
         "Use a server that is nearer, or a folder (--prefix-cache-dir)."});
}

}  // namespace skald
