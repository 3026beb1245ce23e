#include "text/chat/jinja/run/template.h"

#include "base/error.h"
#include "base/terminal_text.h"
#include "text/chat/jinja/parse/binder.h"
#include "text/chat/jinja/parse/parser.h"
#include "text/chat/jinja/run/interpreter.h"

namespace skald::jinja {
namespace {

constexpr size_t kLongest = size_t{4} << 20;

[[noreturn]] void fail(const Failure& failure) {
  constexpr size_t kLongestMessage = 2000;
  std::string message = terminal_text(failure.message().substr(0, kLongestMessage), /*lines=*/true);
  if (failure.message().size() > kLongestMessage) message += "...";
  const std::string where = failure.line() > 0 ? fmt::format(", line {}", failure.line()) : "";
  skald::fail(Errc::kBadInput, "chat template{}: {}: {}", where, name_of(failure.kind()), message);
}

}  // namespace

Template::Template(std::string_view source, const Limits& limits) {
  if (source.size() > kLongest) skald::fail(Errc::kBadInput, "chat template: more than {} MiB", kLongest >> 20);
  Budget budget(limits);
  try {
    tree_ = Parser(source, budget).run();
    bind_names(*tree_, budget);
  } catch (const Failure& failure) {
    fail(failure);
  }
}

Template::Template(Template&&) noexcept = default;
Template& Template::operator=(Template&&) noexcept = default;
Template::~Template() = default;

MarkedText Template::render(const std::function<Variables(Heap&)>& variables,
                            const std::function<void(const Variables&)>& after, const std::tm& now,
                            const Limits& limits) const {
  Budget budget(limits);
  Heap heap(budget);
  try {
    const Variables seen = variables(heap);
    MarkedText out = Interpreter(*tree_, heap, now).render(seen);
    if (after) after(seen);
    return out;
  } catch (const Failure& failure) {
    fail(failure);
  }
}

}  // namespace skald::jinja
