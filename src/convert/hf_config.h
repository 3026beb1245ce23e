// HfConfig: typed access to config.json, whose keys have several spellings.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace skald {

/// The spellings of a key: the first one that is there counts.
class ConfigKeys {
 public:
  ConfigKeys(const char* key) : spellings_{key} {}  // NOLINT: one spelling is the usual case
  ConfigKeys(std::initializer_list<std::string_view> spellings) : spellings_(spellings) {}
  const std::vector<std::string_view>& spellings() const { return spellings_; }

 private:
  std::vector<std::string_view> spellings_;
};

/// A JSON object of a configuration; null counts as absent. Errors name the key: kNotFound for one that is missing, kBadFile
/// for a wrong type or a number out of range. Does not own the JSON. Keys that are looked up are remembered by their paths
/// ("rope_scaling.factor"), by the copies and the objects below together, so that unread() can tell the rest.
class HfConfig {
 public:
  explicit HfConfig(const nlohmann::json& object)
      : object_(&object), read_(std::make_shared<std::set<std::string, std::less<>>>()) {}

  /// Returns where the object lies in the file: empty for all of it, else with a dot at the end ("rope_scaling.").
  const std::string& path() const { return path_; }
  /// Of a model that takes pictures or sound too: the part that describes its language model.
  HfConfig text() const;
  /// Its keys, and those of `defaults` that it has not.
  nlohmann::json over(const nlohmann::json& defaults) const;
  /// The same place in a file that says `object` there.
  HfConfig saying(const nlohmann::json& object) const;

  /// Counts a key as read that means nothing beside the others.
  void pass_over(const ConfigKeys& keys) const { find(keys); }
  /// Returns the paths of the keys that were not looked up, sorted; an object that was looked up gives the paths below it.
  std::vector<std::string> unread() const;

  bool has(const ConfigKeys& keys) const { return find(keys) != nullptr; }
  bool is_string(const ConfigKeys& keys) const;
  bool is_list(const ConfigKeys& keys) const;
  /// Returns whether it is a pair of a number of at most 0 and infinity, however that is written.
  bool is_unlimited(const ConfigKeys& keys) const;
  /// Whole numbers from 0 to 2^32 - 1, as sizes and ids are.
  int64_t i64(const ConfigKeys& keys) const;
  int64_t i64(const ConfigKeys& keys, int64_t fallback) const;
  /// Returns a number that a float can hold.
  float f32(const ConfigKeys& keys) const;
  float f32(const ConfigKeys& keys, float fallback) const;
  /// A whole number other than 0 is true, as in Python.
  bool flag(const ConfigKeys& keys, bool fallback) const;
  std::string str(const ConfigKeys& keys, std::string_view fallback) const;
  std::vector<float> floats(const ConfigKeys& keys) const;
  /// `fallback` when absent, as many of them as that has.
  std::vector<float> floats(const ConfigKeys& keys, std::vector<float> fallback) const;
  /// Returns a list as of i64(). `count`: how many there must be.
  std::vector<int64_t> sizes(const ConfigKeys& keys) const;
  std::vector<int64_t> sizes(const ConfigKeys& keys, int64_t count) const;
  /// Returns a number, or a list that says the same one for all layers. Throws kUnsupported for one that does not.
  int64_t same_in_all(const ConfigKeys& keys) const;
  std::vector<std::string> strings(const ConfigKeys& keys) const;  // empty when absent
  /// Of {"0": "a", "1": "b"}: the words in their order; empty when absent.
  std::vector<std::string> names_by_number(const char* key) const;
  std::optional<HfConfig> object(const ConfigKeys& keys) const;
  /// Returns the names of its members that are objects.
  std::vector<std::string> objects() const;

  // The keys of all decoders, by all their names.
  int64_t n_layers() const { return i64({"num_hidden_layers", "n_layer", "n_layers", "num_layers"}); }
  int64_t d_model() const { return i64({"hidden_size", "n_embd", "d_model", "n_embed"}); }
  int64_t n_heads() const { return i64({"num_attention_heads", "n_head", "n_heads", "num_heads"}); }
  int64_t n_kv_heads() const { return i64({"num_key_value_heads", "n_kv_heads"}, n_heads()); }
  int64_t d_ff() const { return i64(d_ff_keys(), 4 * d_model()); }
  bool has_d_ff() const { return has(d_ff_keys()); }
  bool d_ff_by_layer() const { return is_list(d_ff_keys()); }
  /// Returns the size of a head: the configuration's, or an equal share of the model.
  int64_t d_head() const;
  int64_t n_ctx() const;

 private:
  static ConfigKeys d_ff_keys() {
    return {"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size", "inner_hidden_size"};
  }

  const nlohmann::json* find(const ConfigKeys& keys) const;
  const nlohmann::json& need(const ConfigKeys& keys) const;

  const nlohmann::json* object_;
  std::string path_;  // of the object: empty, or ends in a dot
  std::shared_ptr<std::set<std::string, std::less<>>> read_;
};

}  // namespace skald
