#include <algorithm>

#include "text/chat/jinja/run/capture.h"
#include "text/chat/jinja/run/interpreter.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {

Value Interpreter::eval_call(const CallNode& node, const Frame& f, const Value* caller) {
  const Value function = eval(*node.function, f);
  Arguments arguments = eval_arguments(node.arguments, f, caller);
  line_ = node.line;
  return call(function, arguments);
}

Value Interpreter::call(const Value& function, Arguments& arguments) {
  budget().check_depth();
  budget().step();
  if (function.is_undefined()) function.as<Undefined>().fail();
  if (function.is(Kind::kFunction)) return function.as<Function>().call(*this, arguments);
  if (!function.is(Kind::kLoop)) raise(ErrorKind::kType, "'{}' object is not callable", type_name(function));
  const LoopObject& loop = function.as<LoopObject>();
  if (!loop.node()) raise(ErrorKind::kType, "The loop must have the 'recursive' marker to be called recursively.");
  const std::vector<Value> bound = bind("loop", arguments, {"iterable"}, 1);
  return recurse(loop, bound[0]);
}

namespace {

// Takes the argument of this name out; Missing where there is none.
Value taken(Arguments& arguments, std::string_view name) {
  const auto it = std::ranges::find(arguments.named, name, [](const auto& n) -> std::string_view { return n.first; });
  if (it == arguments.named.end()) return {};
  Value out = std::move(it->second);
  arguments.named.erase(it);
  return out;
}

}  // namespace

// jinja2.runtime.Macro.__call__
Value Interpreter::call_macro(const MacroNode& node, const Ref<Activation>& around, Arguments& arguments) {
  const Frame f = heap_.make_circular<Activation>(around, around->context, node.function.slots);
  const size_t count = node.parameters.size();
  bool found_caller = node.explicit_caller && arguments.positional.size() >= count;
  std::vector<Value> given(count);
  for (size_t i = 0; i < count; ++i) {
    if (i < arguments.positional.size()) {
      given[i] = arguments.positional[i];
      continue;
    }
    const std::string& name = tree_.names[static_cast<size_t>(node.parameters[i]->name)];
    given[i] = taken(arguments, name);
    found_caller = found_caller || name == "caller";
  }
  if (node.takes_caller && !found_caller) {
    Value caller = taken(arguments, "caller");
    if (caller.is_missing() || caller.is_none()) caller = make_undefined(heap_, "No caller defined");
    if (node.caller.index >= 0) f->at(node.caller) = std::move(caller);
  }
  const std::string title = node.name < 0 ? "None" : in_quotes(node.title);
  if (node.named.index >= 0) {
    const Ref<Dict> named = heap_.make<Dict>();
    for (auto& [name, value] : arguments.named) named->set(make_text(heap_, name, true), std::move(value));
    f->at(node.named) = named;
  } else if (!arguments.named.empty()) {
    if (std::ranges::any_of(arguments.named, [](const auto& n) { return n.first == "caller"; }))
      raise(ErrorKind::kType,
            "macro {} was invoked with two values for the special caller argument. This is most likely a bug.", title);
    raise(ErrorKind::kType, "macro {} takes no keyword argument {}", title,
          in_quotes(arguments.named[0].first.substr(0, 100)));
  }
  if (node.positional.index >= 0) {
    const auto first = arguments.positional.begin() + static_cast<ptrdiff_t>(std::min(count, arguments.positional.size()));
    f->at(node.positional) = make_tuple(heap_, std::vector<Value>(first, arguments.positional.end()));
  } else if (arguments.positional.size() > count) {
    raise(ErrorKind::kType, "macro {} takes not more than {} argument(s)", title, count);
  }
  Capture capture(*this);
  enter(node.scope, f);
  for (size_t i = 0; i < count; ++i) f->at(node.parameters[i]->slot) = given[i];
  const size_t plain = count - node.defaults.size();  // parameters without a default
  for (size_t i = 0; i < count; ++i) {
    Value& value = f->at(node.parameters[i]->slot);
    if (!value.is_missing()) continue;
    const std::string& name = tree_.names[static_cast<size_t>(node.parameters[i]->name)];
    Value otherwise = i < plain ? make_undefined(heap_, fmt::format("parameter {} was not provided", in_quotes(name)))
                                : eval(*node.defaults[i - plain], f);
    f->at(node.parameters[i]->slot) = std::move(otherwise);
  }
  run(node.body, f);
  return capture.value(escapes_);
}

}  // namespace skald::jinja
