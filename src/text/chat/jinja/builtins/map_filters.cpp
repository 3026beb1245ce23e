// Filters that go over items as these are asked for: map, select, reject and their kin.
#include "text/chat/jinja/builtins/attributes.h"
#include "text/chat/jinja/builtins/registry.h"
#include "text/chat/jinja/run/access.h"
#include "text/chat/jinja/run/interpreter.h"
#include "text/chat/jinja/values/show.h"

namespace skald::jinja {
namespace {

// Jinja's generators look at the operand and the arguments when the first item is asked for.
class LazyItems : public Iterator {
 public:
  LazyItems(Interpreter& in, Value operand, Arguments arguments)
      : in(in), arguments(std::move(arguments)), operand_(std::move(operand)) {}
  bool next(Value& out) override {
    in.budget().check_depth();
    if (!begun_) {
      begun_ = true;
      if (!truth(operand_)) return false;
      prepare();
      items_ = iterate(heap(), operand_);
    }
    return items_ && step(*items_, out);
  }

 protected:
  virtual void prepare() = 0;
  virtual bool step(Iterator& items, Value& out) = 0;
  Interpreter& in;
  Arguments arguments;

 private:
  Value operand_;
  Ref<Iterator> items_;
  bool begun_ = false;
};

Value take_first(Arguments& arguments) {
  Value out = std::move(arguments.positional.front());
  arguments.positional.erase(arguments.positional.begin());
  return out;
}

class MappedItems final : public LazyItems {
 public:
  using LazyItems::LazyItems;

 private:
  void prepare() override {
    if (!arguments.positional.empty()) {
      name_ = take_first(arguments);
      return;
    }
    Value attribute;
    for (const auto& [name, value] : arguments.named)
      if (name == "attribute") attribute = value;
    if (attribute.is_missing()) raise(ErrorKind::kFilterArgument, "map requires a filter argument");
    for (const auto& [name, value] : arguments.named) {
      if (name == "default") otherwise_ = value;
      if (name != "attribute" && name != "default")
        raise(ErrorKind::kFilterArgument, "Unexpected keyword argument '{}'", name.substr(0, 100));
    }
    path_.emplace(heap(), attribute);
  }

  bool step(Iterator& items, Value& out) override {
    Value item;
    if (!items.next(item)) return false;
    in.budget().step();
    out = path_ ? path_->of(item, otherwise_) : in.filter(name_, item, arguments);
    return true;
  }

  Value name_, otherwise_;
  std::optional<AttributePath> path_;
};

class ChosenItems final : public LazyItems {
 public:
  ChosenItems(Interpreter& in, Value operand, Arguments arguments, bool wanted, bool by_attribute)
      : LazyItems(in, std::move(operand), std::move(arguments)), wanted_(wanted), by_attribute_(by_attribute) {}

 private:
  void prepare() override {
    if (by_attribute_) {
      if (arguments.positional.empty()) raise(ErrorKind::kFilterArgument, "Missing parameter for attribute name");
      path_.emplace(heap(), take_first(arguments));
    }
    if (!arguments.positional.empty()) test_ = take_first(arguments);
  }

  bool step(Iterator& items, Value& out) override {
    for (Value item; items.next(item);) {
      in.budget().step();
      const Value value = path_ ? path_->of(item) : item;
      if (truth(test_.is_missing() ? value : in.test(test_, value, arguments)) != wanted_) continue;
      out = item;
      return true;
    }
    return false;
  }

  bool wanted_, by_attribute_;
  Value test_;
  std::optional<AttributePath> path_;
};

Value map(Interpreter& in, const Value& operand, Arguments& arguments) {
  return in.heap().make<MappedItems>(in, operand, std::move(arguments));
}

template <bool wanted, bool by_attribute>
Value choose(Interpreter& in, const Value& operand, Arguments& arguments) {
  return in.heap().make<ChosenItems>(in, operand, std::move(arguments), wanted, by_attribute);
}

Value attribute(Interpreter& in, const Value& operand, Arguments& arguments) {
  const auto a = bind("attr", arguments, {"name"}, 1);
  if (!a[0].is_text()) raise(ErrorKind::kType, "attribute name must be string, not '{}'", type_name(a[0]));
  const std::string& name = a[0].as<Text>().bytes();
  if (operand.is_undefined()) operand.as<Undefined>().fail();
  if (!name.starts_with("__") && find_attribute(in.heap(), operand, name).is_missing())
    return make_undefined(in.heap(), fmt::format("'{} object' has no attribute {}", type_name(operand),
                                                 repr(a[0], in.budget()).text.substr(0, 200)));
  return get_attribute(in.heap(), operand, name);
}

constexpr Builtin kFilters[] = {
    {"map", map},
    {"select", choose<true, false>},
    {"reject", choose<false, false>},
    {"selectattr", choose<true, true>},
    {"rejectattr", choose<false, true>},
    {"attr", attribute},
};

}  // namespace

std::span<const Builtin> map_filters() { return kFilters; }

}  // namespace skald::jinja
