// The state of a rendering: names known to all, and the variables of each function that runs.
#pragma once

#include <vector>

#include "text/chat/jinja/parse/ast.h"
#include "text/chat/jinja/run/protocol.h"

namespace skald::jinja {

/// Values by the places of their names: those that the template set at its top level hide those that it was given.
class Context final : public Object {
 public:
  explicit Context(size_t names) : Object(Kind::kOther), set(names), given(names) {}
  void clear() override {
    set.clear();
    given.clear();
  }
  /// Returns Missing where neither has it.
  const Value& find(int name) const {
    const auto at = static_cast<size_t>(name);
    return set[at].is_missing() ? given[at] : set[at];
  }

  std::vector<Value> set, given;
};

/// The variables of a function (a template, macro, block, ...) while it runs; macros made in it refer to them.
class Activation final : public Object {
 public:
  Activation(Ref<Activation> outer, Ref<Context> context, int slots)
      : Object(Kind::kOther), outer(std::move(outer)), context(std::move(context)), values(static_cast<size_t>(slots)) {}
  void clear() override {
    outer = Ref<Activation>();
    context = Ref<Context>();
    for (Value& value : values) value = Value();
  }
  Value& at(Slot slot) {
    Activation* a = this;
    for (int i = 0; i < slot.hops; ++i) a = a->outer.get();
    return a->values[static_cast<size_t>(slot.index)];
  }

  Ref<Activation> outer;
  Ref<Context> context;
  std::vector<Value> values;
};

}  // namespace skald::jinja
