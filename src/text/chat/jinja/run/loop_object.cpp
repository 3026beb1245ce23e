#include "text/chat/jinja/run/loop_object.h"

#include "text/chat/jinja/run/activation.h"
#include "text/chat/jinja/run/loop_methods.h"
#include "text/chat/jinja/values/compare.h"

namespace skald::jinja {
namespace {

// for (item, loop) in loop
class LoopPairs final : public Iterator {
 public:
  explicit LoopPairs(Ref<LoopObject> loop) : loop_(std::move(loop)) {}
  bool next(Value& out) override {
    Value item;
    if (!loop_->next(item)) return false;
    heap().budget().step();
    out = make_tuple(heap(), {item, loop_});
    return true;
  }

 private:
  Ref<LoopObject> loop_;
};

}  // namespace

LoopObject::LoopObject(Value iterable, Ref<Iterator> items, const ForNode* node, Ref<Activation> around, int64_t depth0)
    : Object(Kind::kLoop),
      iterable_(std::move(iterable)),
      items_(std::move(items)),
      node_(node),
      around_(std::move(around)),
      depth0_(depth0) {}

LoopObject::~LoopObject() = default;

void LoopObject::clear() {
  items_ = Ref<Iterator>();
  around_ = Ref<Activation>();
  iterable_ = before_ = current_ = after_ = last_changed_ = Value();
}

bool LoopObject::peek() {
  if (!after_.is_missing()) return true;
  return items_->next(after_);
}

bool LoopObject::next(Value& item) {
  if (!peek()) return false;
  ++index0_;
  before_ = std::move(current_);
  current_ = std::move(after_);
  after_ = Value();
  item = current_;
  return true;
}

int64_t LoopObject::length() {
  if (length_ >= 0) return length_;
  if (const auto known = find_length(iterable_)) return length_ = *known;
  const bool peeked = !after_.is_missing();
  Value rest = make_list(heap(), items_of(heap(), items_));
  length_ = length_of(rest) + index0_ + 1 + (peeked ? 1 : 0);
  items_ = iterate(heap(), rest);
  return length_;
}

bool LoopObject::changed(Value values) {
  if (!last_changed_.is_missing() && equal(last_changed_, values, heap().budget())) return false;
  last_changed_ = std::move(values);
  return true;
}

Value LoopObject::attribute(std::string_view name) {
  if (name == "index") return Value::of(index0_ + 1);
  if (name == "index0") return Value::of(index0_);
  if (name == "first") return Value::of(index0_ == 0);
  if (name == "last") return Value::of(!peek());
  if (name == "length") return Value::of(length());
  if (name == "revindex") return Value::of(length() - index0_);
  if (name == "revindex0") return Value::of(length() - index0_ - 1);
  if (name == "depth") return Value::of(depth0_ + 1);
  if (name == "depth0") return Value::of(depth0_);
  if (name == "previtem") return index0_ == 0 ? make_undefined(heap(), "there is no previous item") : before_;
  if (name == "nextitem") return peek() ? after_ : make_undefined(heap(), "there is no next item");
  return loop_method(Ref<LoopObject>(this), name);
}

std::string LoopObject::text() { return fmt::format("<LoopContext {}/{}>", index0_ + 1, length()); }

Ref<Iterator> LoopObject::pairs(Heap& heap) { return heap.make<LoopPairs>(Ref<LoopObject>(this)); }

}  // namespace skald::jinja
