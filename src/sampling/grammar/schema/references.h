// References: what $ref, $dynamicRef and $recursiveRef of one document lead to.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sampling/grammar/schema/json_document.h"

namespace skald {

/// The resources that evaluation has entered, outermost first: what decides where dynamic references lead. 0: not told
/// apart, since the document has none.
using ScopeId = uint32_t;

/// A schema, and how evaluation came to it.
struct SchemaPlace {
  JsonId schema;
  ScopeId scope = 0;
  friend auto operator<=>(const SchemaPlace&, const SchemaPlace&) = default;
};

class References {
 public:
  explicit References(const JsonDocument& document);

  SchemaPlace root();
  /// A schema inside of another one.
  SchemaPlace inside(const SchemaPlace& from, JsonId schema);
  /// Where the keyword $ref, $dynamicRef or $recursiveRef of a schema leads. Throws kUnsupported, naming it, for what is not
  /// in the document, and kBadInput for what is no text.
  SchemaPlace follow(const SchemaPlace& from, std::string_view keyword);

 private:
  using Anchor = std::pair<JsonId, std::string>;  // a resource and a name

  void look_at(JsonId schema, JsonId resource);
  void look_into(JsonId value, std::string_view keyword, JsonId resource);
  JsonId add_identity(JsonId schema, JsonId resource);
  JsonId resource_of(JsonId schema) const;
  JsonId target_of(JsonId from, std::string_view keyword, std::string_view reference);
  SchemaPlace enter(ScopeId scope, JsonId schema);
  JsonId outermost(ScopeId scope, const std::string& anchor, JsonId otherwise) const;

  const JsonDocument& document_;
  bool old_ids_ = false;                // drafts 3 and 4 write id for $id
  bool dynamic_ = false;                // the document has dynamic references
  std::map<JsonId, JsonId> resource_;   // of each schema that was looked at
  std::map<JsonId, std::string> base_;  // URI of a resource
  std::map<std::string, JsonId, std::less<>> by_uri_;
  std::map<Anchor, JsonId> anchors_, dynamic_anchors_;  // $recursiveAnchor has an empty name
  std::vector<std::vector<JsonId>> scopes_;
};

}  // namespace skald
