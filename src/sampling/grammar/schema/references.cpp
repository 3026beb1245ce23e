#include "sampling/grammar/schema/references.h"

#include <algorithm>

#include "sampling/grammar/schema/keywords.h"
#include "sampling/grammar/schema/refusal.h"
#include "sampling/grammar/schema/uri_reference.h"

namespace skald {
namespace {

using Kind = JsonDocument::Kind;

constexpr size_t kMaxScopes = 2000;

std::string_view without_fragment(std::string_view uri) { return uri.substr(0, uri.find('#')); }

}  // namespace

References::References(const JsonDocument& document) : document_(document) {
  if (const JsonId* draft = document_.find(JsonDocument::kRoot, "$schema")) {
    const std::string& uri = document_.at(*draft).text;
    old_ids_ = uri.find("draft-03") != std::string::npos || uri.find("draft-04") != std::string::npos;
  }
  base_[JsonDocument::kRoot] = "";
  by_uri_[""] = JsonDocument::kRoot;
  scopes_.emplace_back();
  look_at(JsonDocument::kRoot, JsonDocument::kRoot);
}

// Registers a schema and those inside of it. Nesting is bounded by the document's depth.
void References::look_at(JsonId schema, JsonId resource) {
  if (resource_.contains(schema)) return;
  resource = add_identity(schema, resource);
  resource_[schema] = resource;
  if (document_.is(schema, Kind::kObject)) {
    for (const auto& [key, value] : document_.at(schema).members) look_into(value, key, resource);
  }
}

void References::look_into(JsonId value, std::string_view keyword, JsonId resource) {
  if (keyword == "$dynamicRef" || keyword == "$recursiveRef") dynamic_ = true;
  const Holds holds = held_by(keyword);
  if (holds == Holds::kNothing) return;
  const bool list = document_.is(value, Kind::kArray),
             named = holds == Holds::kNamedSchemas || holds == Holds::kNamedSchemasOrLists;
  if (!list && !named) return look_at(value, resource);
  if (!list && !document_.is(value, Kind::kObject)) return;
  for (const auto& member : document_.at(value).members) {
    if (!document_.is(member.value, Kind::kArray)) look_at(member.value, resource);
  }
}

// The resource that the schema belongs to: itself if it has an identifier of its own.
JsonId References::add_identity(JsonId schema, JsonId resource) {
  const auto text_of = [&](std::string_view keyword) -> const std::string* {
    const JsonId* id = document_.find(schema, keyword);
    return id != nullptr && document_.is(*id, Kind::kString) ? &document_.at(*id).text : nullptr;
  };
  const std::string* id = text_of("$id");
  if (id == nullptr && old_ids_) id = text_of("id");
  if (id != nullptr && id->starts_with('#')) {
    anchors_.try_emplace({resource, id->substr(1)}, schema);
  } else if (id != nullptr) {
    std::string uri(without_fragment(resolve_uri(base_.at(resource), *id)));
    resource = schema;
    by_uri_.try_emplace(uri, schema);
    base_[schema] = std::move(uri);
  }
  if (const std::string* name = text_of("$anchor")) anchors_.try_emplace({resource, *name}, schema);
  if (const std::string* name = text_of("$dynamicAnchor")) {
    anchors_.try_emplace({resource, *name}, schema);
    dynamic_anchors_.try_emplace({resource, *name}, schema);
  }
  const JsonId* recursive = document_.find(schema, "$recursiveAnchor");
  if (recursive != nullptr && document_.is(*recursive, Kind::kTrue)) dynamic_anchors_.try_emplace({resource, ""}, schema);
  return resource;
}

JsonId References::resource_of(JsonId schema) const {
  for (;; schema = document_.at(schema).parent) {
    if (const auto it = resource_.find(schema); it != resource_.end()) return it->second;
  }
}

SchemaPlace References::enter(ScopeId scope, JsonId schema) {
  if (!dynamic_) return {schema, 0};
  std::vector<JsonId> entered = scopes_[scope];
  const JsonId resource = resource_of(schema);
  if (std::ranges::find(entered, resource) != entered.end()) return {schema, scope};
  entered.push_back(resource);
  const auto it = std::ranges::find(scopes_, entered);
  if (it != scopes_.end()) return {schema, static_cast<ScopeId>(it - scopes_.begin())};
  if (scopes_.size() >= kMaxScopes) refuse(document_, schema, "$dynamicRef", "leads to too many places");
  scopes_.push_back(std::move(entered));
  return {schema, static_cast<ScopeId>(scopes_.size() - 1)};
}

SchemaPlace References::root() { return enter(0, JsonDocument::kRoot); }

SchemaPlace References::inside(const SchemaPlace& from, JsonId schema) { return enter(from.scope, schema); }

JsonId References::target_of(JsonId from, std::string_view keyword, std::string_view reference) {
  const JsonId resource = resource_of(from);
  const std::string uri = resolve_uri(base_.at(resource), reference);
  const std::string_view address = without_fragment(uri);
  const auto it = address.empty() || address == base_.at(resource) ? by_uri_.end() : by_uri_.find(address);
  if (it == by_uri_.end() && !address.empty() && address != base_.at(resource))
    refuse(document_, from, keyword, "{} is not in the document, and no other is read", json_quoted(reference));
  const JsonId start = it == by_uri_.end() ? resource : it->second;
  const std::string fragment = address.size() == uri.size() ? "" : percent_decoded(uri.substr(address.size() + 1));
  if (fragment.empty() || fragment.starts_with('/')) {
    const JsonId* target = document_.resolve(start, fragment);
    if (target == nullptr) refuse(document_, from, keyword, "there is no {} in the document", json_quoted(reference));
    look_at(*target, resource_of(*target));
    return *target;
  }
  const auto anchor = anchors_.find({start, fragment});
  if (anchor == anchors_.end())
    refuse(document_, from, keyword, "there is no anchor {} in the document", json_quoted(reference));
  return anchor->second;
}

JsonId References::outermost(ScopeId scope, const std::string& anchor, JsonId otherwise) const {
  for (const JsonId resource : scopes_[scope]) {
    if (const auto it = dynamic_anchors_.find({resource, anchor}); it != dynamic_anchors_.end()) return it->second;
  }
  return otherwise;
}

SchemaPlace References::follow(const SchemaPlace& from, std::string_view keyword) {
  const JsonId value = *document_.find(from.schema, keyword);
  if (!document_.is(value, Kind::kString)) refuse(document_, from.schema, keyword, "must be a text");
  const std::string& reference = document_.at(value).text;
  JsonId target = target_of(from.schema, keyword, reference);
  const size_t hash = reference.find('#');
  const std::string name = hash == std::string::npos ? "" : reference.substr(hash + 1);
  const JsonId resource = resource_of(target);
  const bool dynamic = (keyword == "$dynamicRef" && !name.empty()) || keyword == "$recursiveRef";
  if (const auto it = dynamic_anchors_.find({resource, name});
      dynamic && it != dynamic_anchors_.end() && it->second == target)
    target = outermost(from.scope, name, target);
  return enter(from.scope, target);
}

}  // namespace skald
