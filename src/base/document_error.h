// DocumentError: an error that says where in a JSON document it is, for callers whose document is part of another one.
#pragma once

#include <optional>
#include <source_location>
#include <string>
#include <utility>

#include "base/error.h"

namespace skald {

class DocumentError : public Error {
 public:
  /// `pointer`: to the value that is wrong (RFC 6901).
  DocumentError(Errc code, std::string message, std::string pointer,
                std::source_location at = std::source_location::current())
      : Error(code, std::move(message), at), pointer_(std::move(pointer)) {}

  /// Makes the error of a tool whose name is wrong.
  static DocumentError of_name(Errc code, std::string message, std::string tool) {
    DocumentError out(code, std::move(message), "");
    out.tool_ = std::move(tool);
    out.is_name_ = true;
    return out;
  }

  /// Returns the tool whose schema the document is; empty: it is the only document.
  const std::string& tool() const { return tool_; }
  void set_tool(std::string name) { tool_ = std::move(name); }
  /// Returns nothing where the tool's name is wrong.
  std::optional<std::string> pointer() const { return is_name_ ? std::nullopt : std::optional(pointer_); }

 private:
  std::string tool_, pointer_;
  bool is_name_ = false;
};

}  // namespace skald
