// JSON as the values that a template sees.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "text/chat/jinja/values/value.h"

namespace skald {

/// Its texts are not trusted: they are not the template author's.
jinja::Value value_of_json(jinja::Heap& heap, const nlohmann::ordered_json& json);

/// Returns a message: as above, but a role that every template knows ("user") counts as the template's own word. Templates
/// write "<|" + role + "|>".
jinja::Value value_of_message(jinja::Heap& heap, const nlohmann::ordered_json& json);

}  // namespace skald
