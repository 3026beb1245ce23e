// The functions that a template makes itself: macros, and references to its blocks.
#pragma once

#include "text/chat/jinja/run/activation.h"
#include "text/chat/jinja/run/function.h"

namespace skald::jinja {

class Macro final : public Function {
 public:
  Macro(const MacroNode& node, Ref<Activation> around, const Tree& tree)
      : node_(node), around_(std::move(around)), tree_(tree) {}
  Value call(Interpreter& in, Arguments& arguments) override;
  std::string_view type() const override { return "Macro"; }
  std::string text() const override;
  Value attribute(Heap& heap, std::string_view name) const override;

 private:
  const MacroNode& node_;
  Ref<Activation> around_;
  const Tree& tree_;
};

/// The variable "self": self.name() renders a block.
class TemplateReference final : public Function {
 public:
  explicit TemplateReference(Ref<Context> context) : context_(std::move(context)) {}
  Value call(Interpreter& in, Arguments& arguments) override;
  std::string_view type() const override { return "TemplateReference"; }
  std::string text() const override { return "<TemplateReference None>"; }
  Value attribute(Heap& heap, std::string_view name) const override;

 private:
  Ref<Context> context_;
};

}  // namespace skald::jinja
