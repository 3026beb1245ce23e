#include "text/chat/jinja/run/loop_methods.h"

#include "text/chat/jinja/run/function.h"
#include "text/chat/jinja/run/interpreter.h"

namespace skald::jinja {
namespace {

Value cycle(Interpreter&, const Value& self, Arguments& arguments) {
  const auto count = static_cast<int64_t>(arguments.positional.size());
  if (count == 0) raise(ErrorKind::kType, "no items for cycling given");
  return arguments.positional[static_cast<size_t>(self.as<LoopObject>().index0() % count)];
}

Value changed(Interpreter& in, const Value& self, Arguments& arguments) {
  return Value::of(self.as<LoopObject>().changed(make_tuple(in.heap(), std::move(arguments.positional))));
}

}  // namespace

Value loop_method(const Ref<LoopObject>& loop, std::string_view name) {
  if (name == "cycle") return loop->heap().make<BoundMethod>(loop, "cycle", cycle);
  if (name == "changed") return loop->heap().make<BoundMethod>(loop, "changed", changed);
  return {};
}

}  // namespace skald::jinja
