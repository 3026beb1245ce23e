// Tool calls and their results in the messages of a chat, as templates want them that are strict about them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace skald {

/// Nine letters and digits, as Mistral's templates want ids of calls. An id of this form is kept; of others the same one
/// becomes the same.
std::string short_call_id(std::string_view id);

/// Gives ids to all calls and results. Calls without an id get a short one by their place. Results without one get that of
/// the first call that waits for a result, of the tool that they name if they name one. `is_short`: others become short too.
nlohmann::ordered_json with_call_ids(nlohmann::ordered_json messages, bool is_short);

/// With one call in a message, and its result after it.
nlohmann::ordered_json with_single_calls(const nlohmann::ordered_json& messages);

}  // namespace skald
