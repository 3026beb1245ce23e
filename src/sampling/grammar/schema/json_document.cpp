#include "sampling/grammar/schema/json_document.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/error.h"

namespace skald {
namespace {

constexpr size_t kMaxDepth = 256;                 // of arrays and objects in each other
constexpr size_t kMaxDocumentValues = 1'000'000;  // of a document
constexpr size_t kLarge = 32;                     // members of an object that are looked up by a table

}  // namespace

// Hears what the parser reads, and puts it at the end of the values.
class JsonDocument::Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(std::vector<Value>& values) : values_(values) {}

  bool null() override { return add(Kind::kNull); }
  bool boolean(bool value) override { return add(value ? Kind::kTrue : Kind::kFalse); }
  bool number_integer(number_integer_t value) override { return add(Kind::kNumber, std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return add(Kind::kNumber, std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override { return add(Kind::kNumber, text); }
  bool string(string_t& text) override { return add(Kind::kString, std::move(text)); }
  bool binary(binary_t&) override { return false; }
  bool start_array(size_t) override { return open(Kind::kArray); }
  bool end_array() override { return close(); }
  bool start_object(size_t) override { return open(Kind::kObject); }
  bool end_object() override { return close(); }

  bool key(string_t& name) override {
    if (!keys_.back().insert(name).second)
      fail(Errc::kBadInput, "JSON schema: key {} is twice in one object", json_quoted(name));
    key_ = std::move(name);
    return true;
  }

  bool parse_error(size_t at, const std::string&, const nlohmann::json::exception& e) override {
    const bool range = dynamic_cast<const nlohmann::json::out_of_range*>(&e) != nullptr;
    fail(Errc::kBadInput, "JSON schema: {} at byte {}", range ? "a number is out of range" : "not valid JSON", at);
  }

 private:
  bool add(Kind kind, std::string text = {}) {
    if (values_.size() >= kMaxDocumentValues)
      fail(Errc::kBadInput, "JSON schema: too large: more than {} values", kMaxDocumentValues);
    const auto id = static_cast<JsonId>(values_.size());
    values_.push_back({.kind = kind, .text = std::move(text), .members = {}});
    if (open_.empty()) return true;
    Value& parent = values_[open_.back()];
    values_.back().parent = open_.back();
    values_.back().place = static_cast<uint32_t>(parent.members.size());
    parent.members.push_back({std::exchange(key_, {}), id});
    return true;
  }
  bool open(Kind kind) {
    if (open_.size() >= kMaxDepth) fail(Errc::kBadInput, "JSON schema: more than {} levels deep", kMaxDepth);
    add(kind);
    open_.push_back(static_cast<JsonId>(values_.size() - 1));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  std::vector<Value>& values_;
  std::vector<JsonId> open_;
  std::vector<std::set<std::string>> keys_;  // of the open arrays (none) and objects
  std::string key_;
};

JsonDocument::JsonDocument(std::string_view text) {
  Builder builder(values_);
  nlohmann::json::sax_parse(text, &builder);
  for (JsonId id = 0; id < values_.size(); ++id) {
    if (values_[id].kind != Kind::kObject || values_[id].members.size() < kLarge) continue;
    for (const Member& member : values_[id].members) by_key_[id].emplace(member.key, &member.value);
  }
}

const JsonId* JsonDocument::find(JsonId object, std::string_view key) const {
  const Value& value = values_[object];
  if (value.kind != Kind::kObject) return nullptr;
  if (value.members.size() >= kLarge) {
    const auto& table = by_key_.at(object);
    const auto it = table.find(key);
    return it == table.end() ? nullptr : it->second;
  }
  const auto it = std::ranges::find(value.members, key, &Member::key);
  return it == value.members.end() ? nullptr : &it->value;
}

std::string JsonDocument::pointer(JsonId id) const {
  std::string out;
  for (; id != kRoot; id = values_[id].parent) {
    const Value& parent = values_[values_[id].parent];
    std::string step = "/";
    if (parent.kind == Kind::kArray) step += std::to_string(values_[id].place);
    for (const char c : parent.members[values_[id].place].key) {
      if (c == '~' || c == '/')
        step += c == '~' ? "~0" : "~1";
      else
        step += c;
    }
    out.insert(0, step);
  }
  return out;
}

const JsonId* JsonDocument::resolve(JsonId from, std::string_view pointer) const {
  const JsonId* at = from == kRoot ? kRootPlace : &values_[values_[from].parent].members[values_[from].place].value;
  while (at != nullptr && !pointer.empty()) {
    if (pointer.front() != '/') return nullptr;
    const size_t end = std::min(pointer.find('/', 1), pointer.size());
    std::string step;
    for (size_t i = 1; i < end; ++i) {
      const bool escape = pointer[i] == '~' && i + 1 < end && (pointer[i + 1] == '0' || pointer[i + 1] == '1');
      step += escape ? (pointer[++i] == '0' ? '~' : '/') : pointer[i];
    }
    pointer.remove_prefix(end);
    const Value& value = values_[*at];
    if (value.kind == Kind::kArray) {
      const bool digits =
          !step.empty() && step.size() < 9 && std::ranges::all_of(step, [](char c) { return c >= '0' && c <= '9'; });
      const size_t i = digits ? std::stoul(step) : value.members.size();
      at = i < value.members.size() ? &value.members[i].value : nullptr;
    } else {
      at = find(*at, step);
    }
  }
  return at;
}

std::string json_quoted(std::string_view text) {
  constexpr size_t kLongest = 200;  // longer texts are cut: errors are lines
  std::string out = "\"";
  for (size_t i = 0; i < text.size() && i < kLongest; ++i) {
    const auto c = static_cast<uint8_t>(text[i]);
    if (c == '"' || c == '\\')
      out += '\\', out += text[i];
    else if (c < 0x20 || c == 0x7f)
      out += fmt::format("\\u{:04x}", c);
    else
      out += text[i];
  }
  return out + (text.size() > kLongest ? "...\"" : "\"");
}

}  // namespace skald
