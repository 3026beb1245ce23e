// Gate: which clients may ask. API keys, and pages of other sites in a browser on this machine.
#pragma once

#include <string>

#include "serve/http.h"
#include "serve/options.h"

namespace skald::serve {

/// Names the client, by the key of `Authorization: Bearer` or `x-api-key`; empty where the server asks for none. Keys are
/// compared in constant time. Throws ApiError (401).
std::string checked_key(const ServeOptions& options, const HttpRequest& request);

/// Names the client that has this key, as checked_key() does.
std::string owner_of(const std::string& key);

/// Whose a request's bytes are, by its head: its key's, if that is one of ours, else its address's, of version 6 with those
/// that share its first half.
std::string client_of(const ServeOptions& options, const HttpRequest& head);

/// On a loopback address without keys: refuses hosts that are names of elsewhere (DNS rebinding), and requests that change
/// something from pages of other sites. Throws ApiError (403).
void check_host(const ServeOptions& options, const HttpRequest& request);

/// Returns whether programs of other machines cannot reach the server's address.
bool listens_here_only(const ServeOptions& options);

/// Returns whether a page of the request's origin may read answers (CORS).
bool may_read(const ServeOptions& options, const HttpRequest& request);
/// Returns the headers that such a page may send: those that it asks for, of which libraries have many, without texts that
/// are no names.
std::string allowed_headers(const HttpRequest& request);

}  // namespace skald::serve
