#include "serve/fleet/route_answer.h"

#include <array>

#include "kernels/api/kv_page.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

Json url_json(const Candidate& one) { return one.url.empty() ? Json(nullptr) : Json(one.url); }

Json load_json(const Candidate& one) {
  return {{"server", url_json(one)}, {"here", one.here}, {"requests_ahead", one.ahead}};
}

Json prefix_json(PrefixHash prefix) {
  const std::string text = prefix_text(prefix);
  return {{"prefix", text}, {"header", {{std::string(kPrefixHeader), text}}}};
}

// Adds the best server; proxies read headers alone.
HttpAnswer answer_with(const Json& out, const Candidate& best, const std::string& prefix) {
  HttpAnswer answer = json_answer(out);
  if (!prefix.empty()) answer.headers.emplace_back(kPrefixField, prefix);
  if (!best.url.empty()) answer.headers.emplace_back(kServerField, best.url);
  return answer;
}

}  // namespace

ServerLoad load_of(Service& service) {
  const EngineStatus status = service.status();
  return {.running = status.running, .waiting = status.waiting, .parallel = service.options().engine.schedule.n_parallel};
}

std::vector<Candidate> servers_for(RequestContext& context, const std::string& space, std::span<const PrefixHash> prompt) {
  Service& service = context.service();
  std::vector<Candidate> out = {
      {.here = true, .pages = service.prefixes().pages(space, prompt), .ahead = load_of(service).ahead()}};
  Peers* const peers = service.peers();
  if (!peers) return out;
  out.front().url = peers->own_url();
  for (Candidate& one : peers->candidates(context.owner, prompt)) out.push_back(std::move(one));
  return out;
}

// The header says nothing of a salt: any space of the client's may have the page.
std::vector<Candidate> servers_for(RequestContext& context, PrefixHash prefix) {
  const std::array<PrefixHash, 1> prompt = {prefix};
  std::vector<Candidate> out = servers_for(context, {}, prompt);
  out.front().pages = context.service().prefixes().has(cache_owner(context.owner), prefix) ? 1 : 0;
  return out;
}

HttpAnswer route_answer(const std::vector<Candidate>& servers, const PromptName& name) {
  const Candidate& best = servers[choose_server(servers, name.prefix)];
  Json out = prefix_json(name.prefix);
  out.update({{"server", url_json(best)},
              {"here", best.here},
              {"cached_tokens", best.pages * kPageKeys},
              {"prompt_tokens", name.tokens}});
  for (const Candidate& one : servers) {
    Json json = load_json(one);
    json["cached_tokens"] = one.pages * kPageKeys;
    out["servers"].push_back(std::move(json));
  }
  return answer_with(out, best, prefix_text(name.prefix));
}

HttpAnswer route_answer(const std::vector<Candidate>& servers, PrefixHash prefix) {
  const Candidate& best = servers[choose_server(servers, prefix)];
  Json out = prefix_json(prefix);
  out.update({{"server", url_json(best)}, {"here", best.here}, {"cached", best.pages > 0}});
  for (const Candidate& one : servers) {
    Json json = load_json(one);
    json["cached"] = one.pages > 0;
    out["servers"].push_back(std::move(json));
  }
  return answer_with(out, best, prefix_text(prefix));
}

HttpAnswer route_answer_by_load(const std::vector<Candidate>& servers, PrefixHash draw) {
  const Candidate& best = servers[choose_server(servers, draw)];
  Json out = {{"prefix", nullptr}, {"server", url_json(best)}, {"here", best.here}};
  for (const Candidate& one : servers) out["servers"].push_back(load_json(one));
  return answer_with(out, best, {});
}

}  // namespace skald::serve
