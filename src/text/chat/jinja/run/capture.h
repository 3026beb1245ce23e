// Capture: collects the output while it lives.
#pragma once

#include "text/chat/jinja/run/interpreter.h"

namespace skald::jinja {

struct Interpreter::Capture {
  explicit Capture(Interpreter& in) : in(in), before(in.out_) { in.out_ = &text; }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture() { in.out_ = before; }
  Value value(bool markup) { return make_text(in.heap_, std::move(text), markup); }

  Interpreter& in;
  MarkedText* before;
  MarkedText text;
};

}  // namespace skald::jinja
