#include "text/chat/jinja/run/globals.h"

#include <algorithm>

#include "text/chat/jinja/run/interpreter.h"
#include "text/chat/jinja/values/compare.h"
#include "text/chat/jinja/values/numbers.h"
#include "text/chat/jinja/values/show.h"
#include "text/chat/jinja/words/strftime.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {
namespace {

Value range(Interpreter& in, Arguments& arguments) {
  constexpr int64_t kMost = 100000;  // jinja2.sandbox.MAX_RANGE
  if (!arguments.named.empty()) raise(ErrorKind::kType, "range() takes no keyword arguments");
  const std::vector<Value>& a = arguments.positional;
  if (a.empty() || a.size() > 3) raise(ErrorKind::kType, "range expected 1 to 3 arguments, got {}", a.size());
  int64_t parts[3] = {0, 0, 1};
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].is(Kind::kBigInt)) raise(ErrorKind::kOverflow, "Python int too large to convert to C ssize_t");
    parts[a.size() == 1 ? 1 : i] = index_of(a[i]);
  }
  if (parts[2] == 0) raise(ErrorKind::kValue, "range() arg 3 must not be zero");
  const Ref<Range> out = in.heap().make<Range>(parts[0], parts[1], parts[2]);
  if (out->length > kMost)
    raise(ErrorKind::kOverflow, "Range too big. The sandbox blocks ranges larger than MAX_RANGE ({}).", kMost);
  return out;
}

// dict(mapping or pairs, **named)
Ref<Dict> dict_of(Interpreter& in, Arguments& arguments) {
  if (arguments.positional.size() > 1)
    raise(ErrorKind::kType, "dict expected at most 1 argument, got {}", arguments.positional.size());
  const Ref<Dict> out = in.heap().make<Dict>();
  if (!arguments.positional.empty()) {
    const Value& from = arguments.positional[0];
    const bool names = from.is(Kind::kNamespace);
    if (from.is(Kind::kDict) || names) {
      for (const auto& [key, value] : (names ? *from.as<Namespace>().attributes : from.as<Dict>()).entries()) {
        in.budget().step();
        out->set(key, value);
      }
    } else {
      size_t place = 0;
      for (const Value& pair : items_of(in.heap(), from)) {
        if (!find_iterator(in.heap(), pair))
          raise(ErrorKind::kType, "cannot convert dictionary update sequence element #{} to a sequence", place);
        const std::vector<Value> parts = items_of(in.heap(), pair);
        if (parts.size() != 2)
          raise(ErrorKind::kValue, "dictionary update sequence element #{} has length {}; 2 is required", place,
                parts.size());
        out->set(parts[0], parts[1]);
        ++place;
      }
    }
  }
  for (auto& [name, value] : arguments.named) out->set(make_text(in.heap(), name, true), std::move(value));
  return out;
}

Value dict(Interpreter& in, Arguments& arguments) { return dict_of(in, arguments); }

Value from_keys(Interpreter& in, const Value&, Arguments& arguments) {
  const auto a = bind("fromkeys", arguments, {"iterable", "value"}, 1);
  const Ref<Dict> out = in.heap().make<Dict>();
  for (const Value& key : items_of(in.heap(), a[0])) out->set(key, a[1].is_missing() ? Value::none() : a[1]);
  return out;
}

void check_name(const Value& name) {
  if (!name.is_text() || !name.as<Text>().bytes().starts_with("_")) return;
  raise(
      ErrorKind::kSecurity,
      "Chat templates cannot store underscore-prefixed attributes on a namespace, but got {}. Please rename the attribute.",
      in_quotes(name.as<Text>().bytes().substr(0, 100)));
}

Value make_namespace(Interpreter& in, Arguments& arguments) {
  const Ref<Dict> attributes = dict_of(in, arguments);
  for (const auto& entry : attributes->entries()) check_name(entry.first);
  const Ref<Namespace> out = in.heap().make_circular<Namespace>();
  out->attributes = attributes;
  return out;
}

Value raise_exception(Interpreter& in, Arguments& arguments) {
  const auto a = bind("raise_exception", arguments, {"message"}, 1);
  const Value text = to_text(in.heap(), a[0]);
  throw Failure(ErrorKind::kTemplate, text.as<Text>().bytes());
}

Value strftime_now(Interpreter& in, Arguments& arguments) {
  const auto a = bind("strftime_now", arguments, {"format"}, 1);
  if (!a[0].is_text()) raise(ErrorKind::kType, "strftime() argument 1 must be str, not {}", type_name(a[0]));
  return make_text(in.heap(), format_time(a[0].as<Text>().bytes(), in.now(), in.budget()), is_trusted(a[0]));
}

class Cycler final : public Function {
 public:
  explicit Cycler(std::vector<Value> items) : items_(std::move(items)) {}
  Value call(Interpreter&, Arguments&) override { raise(ErrorKind::kType, "'Cycler' object is not callable"); }
  std::string_view type() const override { return "Cycler"; }
  std::string text() const override { return "<Cycler>"; }
  Value attribute(Heap& heap, std::string_view name) const override {
    if (name == "current") return items_[at_];
    if (name == "pos") return Value::of_size(at_);
    if (name == "items") return make_tuple(heap, items_);
    const Value self(Ref<Cycler>(const_cast<Cycler*>(this)));
    if (name == "next") return heap.make<BoundMethod>(self, "next", next);
    if (name == "reset") return heap.make<BoundMethod>(self, "reset", reset);
    return {};
  }

 private:
  static Value next(Interpreter&, const Value& self, Arguments&) {
    Cycler& cycler = self.as<Cycler>();
    Value out = cycler.items_[cycler.at_];
    cycler.at_ = (cycler.at_ + 1) % cycler.items_.size();
    return out;
  }
  static Value reset(Interpreter&, const Value& self, Arguments&) {
    self.as<Cycler>().at_ = 0;
    return Value::none();
  }

  std::vector<Value> items_;
  size_t at_ = 0;
};

class Joiner final : public Function {
 public:
  explicit Joiner(Value separator) : separator_(std::move(separator)) {}
  Value call(Interpreter& in, Arguments& arguments) override {
    bind("joiner", arguments, {}, 0);
    if (std::exchange(used_, true)) return separator_;
    return make_text(in.heap(), "", true);
  }
  std::string_view type() const override { return "Joiner"; }
  std::string text() const override { return "<Joiner>"; }
  Value attribute(Heap&, std::string_view name) const override {
    if (name == "sep") return separator_;
    if (name == "used") return Value::of(used_);
    return {};
  }

 private:
  Value separator_;
  bool used_ = false;
};

Value cycler(Interpreter& in, Arguments& arguments) {
  if (arguments.positional.empty()) raise(ErrorKind::kRuntime, "at least one item has to be provided");
  return in.heap().make<Cycler>(arguments.positional);
}

Value joiner(Interpreter& in, Arguments& arguments) {
  const auto a = bind("joiner", arguments, {"sep"}, 0);
  return in.heap().make<Joiner>(a[0].is_missing() ? make_text(in.heap(), ", ", true) : a[0]);
}

Value lipsum(Interpreter&, Arguments&) { raise(ErrorKind::kUnsupported, "lipsum(): made-up texts"); }

/// dict, which has a method too.
class DictType final : public Function {
 public:
  Value call(Interpreter& in, Arguments& arguments) override { return dict(in, arguments); }
  std::string_view type() const override { return "TemplateDict"; }
  std::string text() const override { return "<dict>"; }
  Value attribute(Heap& heap, std::string_view name) const override {
    if (name != "fromkeys") return {};
    return heap.make<BoundMethod>(Value::none(), "fromkeys", from_keys);
  }
};

struct Global {
  std::string_view name;
  Native native;
};

constexpr Global kGlobals[] = {
    {"range", range},
    {"namespace", make_namespace},
    {"raise_exception", raise_exception},
    {"strftime_now", strftime_now},
    {"cycler", cycler},
    {"joiner", joiner},
    {"lipsum", lipsum},
};

}  // namespace

Value find_global(Heap& heap, std::string_view name) {
  if (name == "dict") return heap.make<DictType>();
  const auto* global = std::ranges::find(kGlobals, name, &Global::name);
  return global == std::end(kGlobals) ? Value() : Value(heap.make<NativeFunction>(global->name, global->native));
}

void set_namespace(Heap& heap, Namespace& names, std::string_view name, Value value) {
  const Value key = make_text(heap, std::string(name), true);
  check_name(key);
  names.attributes->set(key, std::move(value));
}

}  // namespace skald::jinja
