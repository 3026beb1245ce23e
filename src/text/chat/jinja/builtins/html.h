// HTML and addresses in texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "text/chat/jinja/run/budget.h"

namespace skald::jinja {

/// Without comments and tags, blanks as single ones, entities as characters: markupsafe's striptags().
std::string without_tags(std::string_view text, Budget& budget);

/// Writes bytes as %XX but for letters, digits and "_.-~", and "/" unless it is for a query, where a blank becomes "+".
std::string url_quoted(std::string_view text, bool for_query, Budget& budget);

struct LinkOptions {
  int64_t most_shown = -1;  // characters of an address; -1: all
  std::string rel, target;
};

/// Addresses and mail addresses of an escaped text as links: Jinja's urlize().
std::string with_links(std::string_view text, const LinkOptions& options, Budget& budget);

}  // namespace skald::jinja
