#include "text/chat/chat_json.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "base/interruption.h"
#include "base/terminal_text.h"

namespace skald {
namespace {

using Json = nlohmann::ordered_json;

// Builds the value piece by piece, so that depth and numbers are checked before anything is lost.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  Builder(const std::string& what, const ChatJsonLimits& limits) : what_(what), limits_(limits) {}
  Json take() { return std::move(root_); }
  /// Of the value that was read last.
  std::string path() const {
    std::string out;
    for (size_t i = 0; i < open_.size(); ++i) {
      if (open_[i]->is_array())
        out += fmt::format("[{}]", i + 1 < open_.size() ? open_[i]->size() - 1 : open_[i]->size());
      else
        out += (out.empty() ? "" : ".") + keys_[i];
    }
    return out;
  }

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t& text) override {
    if (text.find_first_of(".eE") == std::string::npos)
      fail(Errc::kBadInput, "{}: the integer {} needs more than 64 bits", what_, text.substr(0, 40));
    return put(value);
  }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override { return open(Json::object()); }
  bool start_array(size_t) override { return open(Json::array()); }
  bool key(string_t& value) override {
    keys_.back() = std::move(value);
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception& error) override {
    const std::string text = terminal_text(error.what());
    fail(Errc::kBadInput, "{}: not JSON: {}", what_, text.substr(0, 300));
  }

 private:
  Json& place(Json value) {
    if (open_.empty()) return root_ = std::move(value);
    Json& parent = *open_.back();
    if (parent.is_object() && parent.size() >= limits_.keys)
      fail(Errc::kBadInput, "{}: an object with more than {} keys", what_, limits_.keys);
    if (!parent.is_array()) return parent[keys_.back()] = std::move(value);
    parent.push_back(std::move(value));
    return parent.back();
  }
  bool put(Json value) {
    Interruption::point(kWorkOfValue);
    place(std::move(value));
    return true;
  }
  bool open(Json value) {
    if (open_.size() >= limits_.depth)
      fail(Errc::kBadInput, "{}: more than {} lists and objects in each other", what_, limits_.depth);
    open_.push_back(&place(std::move(value)));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  static constexpr size_t kWorkOfValue = 16;

  const std::string& what_;
  const ChatJsonLimits& limits_;
  Json root_;
  std::vector<Json*> open_;
  std::vector<std::string> keys_;  // that were read last, of each of them
};

}  // namespace

Json parse_chat_json(std::string_view text, const std::string& what, const ChatJsonLimits& limits, std::string* place) {
  Builder builder(what, limits);
  try {
    if (!Json::sax_parse(text.begin(), text.end(), &builder)) fail(Errc::kBadInput, "{}: not JSON", what);
  } catch (const Error&) {
    if (place) *place = builder.path();
    throw;
  }
  return builder.take();
}

}  // namespace skald
