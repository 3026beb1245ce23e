// Calls that are written as JSON objects.
#pragma once

#include <optional>
#include <string_view>

#include "skald/reply.h"

namespace skald {

struct CallObject {
  ReplyCall call;
  bool has_arguments;
};

/// Of an object with a name (`name`, `tool_name`, or in `function`) and maybe arguments (`arguments`, `parameters`: an
/// object, or one as text). None: it is no call.
std::optional<CallObject> call_object(std::string_view json);

/// Of an object whose one key is the name and whose value is the arguments.
std::optional<CallObject> call_by_key(std::string_view json);

/// Returns whether an object whose first key this is may be a call.
bool begins_call(std::string_view key);

/// Arguments that are an object, null, or either as text, as the JSON text of an object.
std::optional<std::string> arguments_json(std::string_view value);

}  // namespace skald
