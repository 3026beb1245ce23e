#include "text/chat/jinja/run/failure.h"

namespace skald::jinja {

const char* name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kType:
      return "TypeError";
    case ErrorKind::kValue:
      return "ValueError";
    case ErrorKind::kIndex:
      return "IndexError";
    case ErrorKind::kKey:
      return "KeyError";
    case ErrorKind::kAttribute:
      return "AttributeError";
    case ErrorKind::kZeroDivision:
      return "ZeroDivisionError";
    case ErrorKind::kOverflow:
      return "OverflowError";
    case ErrorKind::kUndefined:
      return "UndefinedError";
    case ErrorKind::kSecurity:
      return "SecurityError";
    case ErrorKind::kSyntax:
      return "TemplateSyntaxError";
    case ErrorKind::kAssertion:
      return "TemplateAssertionError";
    case ErrorKind::kRuntime:
      return "TemplateRuntimeError";
    case ErrorKind::kTemplate:
      return "TemplateError";
    case ErrorKind::kFilterArgument:
      return "FilterArgumentError";
    case ErrorKind::kRecursion:
      return "RecursionError";
    case ErrorKind::kLimit:
      return "limit";
    case ErrorKind::kUnsupported:
      return "unsupported";
  }
  return "error";
}

}  // namespace skald::jinja
