#include "text/chat/jinja/run/function.h"

#include <algorithm>

namespace skald::jinja {

std::vector<Value> bind(std::string_view function, Arguments& arguments, std::initializer_list<std::string_view> names,
                        size_t required, size_t most_positional) {
  const size_t most = std::min(most_positional, names.size());
  if (arguments.positional.size() > most)
    raise(ErrorKind::kType, "{}() takes at most {} argument{} ({} given)", function, most, most == 1 ? "" : "s",
          arguments.positional.size());
  std::vector<Value> out(names.size());
  std::ranges::move(arguments.positional, out.begin());
  for (auto& [name, value] : arguments.named) {
    const auto it = std::ranges::find(names, name);
    if (it == names.end()) raise(ErrorKind::kType, "{}() got an unexpected keyword argument '{}'", function, name);
    Value& slot = out[static_cast<size_t>(it - names.begin())];
    if (!slot.is_missing()) raise(ErrorKind::kType, "{}() got multiple values for argument '{}'", function, name);
    slot = std::move(value);
  }
  for (size_t i = 0; i < required; ++i)
    if (out[i].is_missing())
      raise(ErrorKind::kType, "{}() missing a required argument: '{}'", function,
            *(names.begin() + static_cast<ptrdiff_t>(i)));
  return out;
}

}  // namespace skald::jinja
