#include <functional>

#include "text/chat/jinja/run/capture.h"
#include "text/chat/jinja/run/interpreter.h"

namespace skald::jinja {

Interpreter::Flow Interpreter::run_for(const ForNode& node, const Frame& f) {
  const Value iterable = eval(*node.iterable, f);
  line_ = node.line;
  if (!node.recursive) return run_items(node, iterable, f, f, 0);
  Capture capture(*this);
  const Frame own = heap_.make_circular<Activation>(f, f->context, node.function.slots);
  run_items(node, iterable, f, own, 0);
  MarkedText text = std::move(capture.text);
  capture.before->append(text);
  budget().check_text(capture.before->size());
  return Flow::kOn;
}

Value Interpreter::recurse(const LoopObject& loop, const Value& iterable) {
  const ForNode& node = *loop.node();
  Capture capture(*this);
  const Frame own = heap_.make_circular<Activation>(loop.around(), loop.around()->context, node.function.slots);
  run_items(node, iterable, loop.around(), own, loop.depth0() + 1);
  return capture.value(is_escaping(node.escaping));
}

namespace {

// The items that pass a loop's test.
class TestedItems final : public Iterator {
 public:
  using Passes = std::function<bool(const Value&)>;
  TestedItems(Ref<Iterator> items, Passes passes) : items_(std::move(items)), passes_(std::move(passes)) {}
  bool next(Value& out) override {
    while (items_->next(out)) {
      heap().budget().step();
      if (passes_(out)) return true;
    }
    return false;
  }

 private:
  Ref<Iterator> items_;
  Passes passes_;
};

}  // namespace

// `around`: where the loop stands; `f`: where its variables are, the same unless the loop is recursive.
Interpreter::Flow Interpreter::run_items(const ForNode& node, const Value& iterable, const Frame& around, const Frame& f,
                                         int64_t depth0) {
  Ref<Iterator> items = iterate(heap_, iterable);
  Value source = iterable;
  if (node.test) {
    const Frame test = heap_.make_circular<Activation>(around, around->context, node.test_function.slots);
    enter(node.test_scope, test);
    items = heap_.make<TestedItems>(items, [this, &node, test](const Value& item) {
      assign(*node.test_target, item, test);
      return truth(eval(*node.test, test));
    });
    source = items;
  }
  Ref<LoopObject> loop;
  if (node.has_loop)
    loop = heap_.make_circular<LoopObject>(source, items, node.recursive ? &node : nullptr,
                                           node.recursive ? around : Frame(), depth0);
  bool any = false;
  for (Value item; loop ? loop->next(item) : items->next(item);) {
    budget().step();
    assign(*node.target, std::move(item), f);
    if (loop && node.loop.index >= 0) f->at(node.loop) = loop;
    enter(node.scope, f);
    const Flow flow = run(node.body, f);
    if (flow == Flow::kBreak) break;
    any = any || flow == Flow::kOn;  // Jinja's "else" runs unless an iteration came to the end of the body
    line_ = node.line;
  }
  leave(node.scope, f);
  if (any || node.otherwise.empty()) return Flow::kOn;
  enter(node.otherwise_scope, f);
  const Flow flow = run(node.otherwise, f);  // a break there is of a loop further out
  leave(node.otherwise_scope, f);
  return flow;
}

}  // namespace skald::jinja
