// Template: a Jinja template that was read once and can be rendered many times, by several threads at once.
#pragma once

#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/chat/jinja/run/budget.h"
#include "text/marked_text.h"

namespace skald::jinja {

class Heap;
class Value;
class Tree;

using Variables = std::vector<std::pair<std::string, Value>>;

class Template {
 public:
  /// Reads a template as jinja2 3.1.6 does with trim_blocks, lstrip_blocks, loopcontrols and transformers' {% generation %}.
  /// Throws Error (kBadInput) naming the line, also for more than 4 MiB.
  explicit Template(std::string_view source, const Limits& limits = {});
  Template(Template&&) noexcept;
  Template& operator=(Template&&) noexcept;
  ~Template();

  /// Renders as jinja2's ImmutableSandboxedEnvironment, with transformers' functions and filters. `variables` makes the
  /// template's variables, on the rendering's heap; `after` may look at them after the rendering. Throws Error (kBadInput)
  /// naming the line, for exceptions that the template raises, for errors in it and for limits that it reaches.
  MarkedText render(const std::function<Variables(Heap&)>& variables, const std::function<void(const Variables&)>& after,
                    const std::tm& now, const Limits& limits = {}) const;

 private:
  std::unique_ptr<Tree> tree_;
};

}  // namespace skald::jinja
