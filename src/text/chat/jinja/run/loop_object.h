// LoopObject: the variable "loop" of a for statement.
#pragma once

#include <string>

#include "text/chat/jinja/run/protocol.h"

namespace skald::jinja {

class Interpreter;
struct ForNode;
class Activation;

class LoopObject final : public Object {
 public:
  /// `node`, `around`: of a loop that is recursive; otherwise nullptr.
  LoopObject(Value iterable, Ref<Iterator> items, const ForNode* node, Ref<Activation> around, int64_t depth0);
  ~LoopObject() override;
  void clear() override;

  /// Goes to the next item; false after the last.
  bool next(Value& item);
  /// Reads the rest where the iterable does not say how many items it has.
  int64_t length();
  int64_t depth0() const { return depth0_; }
  const ForNode* node() const { return node_; }
  const Ref<Activation>& around() const { return around_; }

  /// loop.index and its kin; Missing for an attribute that a loop does not have.
  Value attribute(std::string_view name);
  bool changed(Value values);
  int64_t index0() const { return index0_; }
  std::string text();

  /// (item, loop) pairs, as iterating over a loop gives.
  Ref<Iterator> pairs(Heap& heap);

 private:
  bool peek();  // whether there is an item after the current one

  Value iterable_;
  Ref<Iterator> items_;
  const ForNode* node_;
  Ref<Activation> around_;
  int64_t depth0_, index0_ = -1, length_ = -1;
  Value before_, current_, after_, last_changed_;
};

}  // namespace skald::jinja
