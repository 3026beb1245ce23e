// References: URIs by the examples of RFC 3986, section 5.4, and the targets of $id, $anchor and $ref.
#include "sampling/grammar/schema/references.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "sampling/grammar/schema/uri_reference.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

TEST(UriReference, IsResolvedAsInTheStandard) {
  const std::pair<const char*, const char*> cases[] = {{"g:h", "g:h"},
                                                       {"g", "http://a/b/c/g"},
                                                       {"./g", "http://a/b/c/g"},
                                                       {"g/", "http://a/b/c/g/"},
                                                       {"/g", "http://a/g"},
                                                       {"//g", "http://g"},
                                                       {"?y", "http://a/b/c/d;p?y"},
                                                       {"g?y", "http://a/b/c/g?y"},
                                                       {"#s", "http://a/b/c/d;p?q#s"},
                                                       {"g#s", "http://a/b/c/g#s"},
                                                       {"", "http://a/b/c/d;p?q"},
                                                       {".", "http://a/b/c/"},
                                                       {"./", "http://a/b/c/"},
                                                       {"..", "http://a/b/"},
                                                       {"../", "http://a/b/"},
                                                       {"../g", "http://a/b/g"},
                                                       {"../..", "http://a/"},
                                                       {"../../g", "http://a/g"},
                                                       {"../../../g", "http://a/g"},
                                                       {"/./g", "http://a/g"},
                                                       {"/../g", "http://a/g"},
                                                       {"g.", "http://a/b/c/g."},
                                                       {"..g", "http://a/b/c/..g"}};
  for (const auto& [reference, want] : cases) EXPECT_EQ(resolve_uri("http://a/b/c/d;p?q", reference), want) << reference;
  EXPECT_EQ(resolve_uri("", "a/b"), "a/b");
  EXPECT_EQ(percent_decoded("a%22b%zz%"), "a\"b%zz%");
}

// Where the $ref of the root leads, as a JSON pointer.
std::string target(const char* schema) {
  const JsonDocument document(schema);
  References references(document);
  return document.pointer(references.follow(references.root(), "$ref").schema);
}

TEST(References, LeadToPointersIdentifiersAndAnchors) {
  EXPECT_EQ(target(R"({"$ref": "#"})"), "");
  EXPECT_EQ(target(R"({"$ref": "#/a~1b/~0/1", "a/b": {"~": [0, {}]}})"), "/a~1b/~0/1");
  EXPECT_EQ(target(R"({"$ref": "#x", "$defs": {"a": {"$anchor": "x"}}})"), "/$defs/a");
  EXPECT_EQ(target(R"({"$id": "http://e/r.json", "$ref": "s.json", "$defs": {"a": {"$id": "s.json"}}})"), "/$defs/a");
  EXPECT_EQ(
      target(
          R"({"$id": "http://e/r.json", "$ref": "s.json#/$defs/b", "$defs": {"a": {"$id": "s.json", "$defs": {"b": {}}}}})"),
      "/$defs/a/$defs/b");
  EXPECT_EQ(
      target(R"({"$schema": "http://json-schema.org/draft-04/schema#", "$ref": "#x", "definitions": {"a": {"id": "#x"}}})"),
      "/definitions/a");
}

TEST(References, OutOfTheDocumentAreRefused) {
  for (const char* reference : {"http://localhost/x", "file:///etc/passwd", "other.json", "#nosuch", "#/nosuch"}) {
    const std::string error = test::error_of([&] {
                                target((R"({"$id": "http://e/r", "$ref": ")" + std::string(reference) + "\"}").c_str());
                              }).what();
    EXPECT_THAT(error, testing::HasSubstr("$ref at the root")) << reference;
  }
}

TEST(References, FollowDynamicAnchorsOfTheOutermostResource) {
  const JsonDocument document(
      R"({"$id": "http://e/root", "$ref": "list", "$defs": {"foo": {"$dynamicAnchor": "item", "type": "string"},
    "list": {"$id": "list", "items": {"$dynamicRef": "#item"}, "$defs": {"own": {"$dynamicAnchor": "item"}}}}})");
  References references(document);
  const SchemaPlace list = references.follow(references.root(), "$ref");
  const SchemaPlace items = references.inside(list, *document.find(list.schema, "items"));
  EXPECT_EQ(document.pointer(references.follow(items, "$dynamicRef").schema), "/$defs/foo");
}

}  // namespace
}  // namespace skald
