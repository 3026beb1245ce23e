// The answers of POST /route and GET /route: the prefix of a prompt, and the best server for it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "serve/fleet/peer_news.h"
#include "serve/fleet/prompt_name.h"
#include "serve/fleet/server_choice.h"
#include "serve/request_context.h"

namespace skald::serve {

/// Returns the load of this server, of all its models.
ServerLoad load_of(Service& service);

/// Lists all servers that answer, this one first, with the pages that they have of a client's prompt.
std::vector<Candidate> servers_for(RequestContext& context, const std::string& space, std::span<const PrefixHash> prompt);
/// The same where the prompt's prefix alone is known: a server has one page of it, or none.
std::vector<Candidate> servers_for(RequestContext& context, PrefixHash prefix);

/// Makes the answer for a prompt.
HttpAnswer route_answer(const std::vector<Candidate>& servers, const PromptName& name);
/// Makes the answer for a prefix.
HttpAnswer route_answer(const std::vector<Candidate>& servers, PrefixHash prefix);
/// Makes the answer for a request of which nothing is known: `draw` spreads those of idle servers.
HttpAnswer route_answer_by_load(const std::vector<Candidate>& servers, PrefixHash draw);

}  // namespace skald::serve
