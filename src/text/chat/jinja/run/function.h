// Functions that a template can call: macros, methods, and functions of ours.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/chat/jinja/values/objects.h"

namespace skald::jinja {

class Interpreter;

struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;
};

/// Arguments by the names of a function's parameters, in their order; Missing where none was given. The first `required`
/// must be there; `most_positional`: how many can be given without a name. Throws Failure (kType).
std::vector<Value> bind(std::string_view function, Arguments& arguments, std::initializer_list<std::string_view> names,
                        size_t required, size_t most_positional = SIZE_MAX);

class Function : public Object {
 public:
  virtual Value call(Interpreter& in, Arguments& arguments) = 0;
  /// Returns Python's name of its type.
  virtual std::string_view type() const { return "function"; }
  /// Returns how it shows in a text; tells no address.
  virtual std::string text() const { return "<function>"; }
  /// Returns Missing where there is no such attribute.
  virtual Value attribute(Heap&, std::string_view) const { return {}; }

 protected:
  Function() : Object(Kind::kFunction) {}
};

using Native = Value (*)(Interpreter& in, Arguments& arguments);

/// A function of ours.
class NativeFunction final : public Function {
 public:
  NativeFunction(std::string_view name, Native native) : name_(name), native_(native) {}
  Value call(Interpreter& in, Arguments& arguments) override { return native_(in, arguments); }
  std::string text() const override { return std::string("<function ").append(name_) + ">"; }

 private:
  std::string_view name_;  // of a table
  Native native_;
};

using Method = Value (*)(Interpreter& in, const Value& self, Arguments& arguments);

/// A method of ours with the object that it was looked up in.
class BoundMethod final : public Function {
 public:
  BoundMethod(Value self, std::string_view name, Method method) : self_(std::move(self)), name_(name), method_(method) {}
  Value call(Interpreter& in, Arguments& arguments) override { return method_(in, self_, arguments); }
  std::string_view type() const override { return "builtin_function_or_method"; }
  std::string text() const override { return std::string("<built-in method ").append(name_) + ">"; }

 private:
  Value self_;
  std::string_view name_;  // of a table
  Method method_;
};

}  // namespace skald::jinja
