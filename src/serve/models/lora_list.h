// LoraList: the adapters of a served model, by number and by name. Any thread may use it.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/options.h"
#include "skald/lora.h"

namespace skald::serve {

class LoraList {
 public:
  struct Entry {
    int64_t id;
    std::string name;  // that requests may give as their model; empty: none
    Lora lora;
    float scale;  // for requests that name no adapters
  };

  /// Loads those of the options. Throws Error naming a file.
  LoraList(const Model& model, const LoraOptions& options);

  std::vector<Entry> all() const;
  /// Returns those for requests that name none.
  std::vector<LoraUse> usual() const;
  std::optional<Lora> with_id(int64_t id) const;
  std::optional<Lora> named(std::string_view name) const;

  /// Sets the scales of requests that name none, by numbers; those that are not in the list become 0. Throws ApiError (400)
  /// for a number that no adapter has, without a change.
  void set_scales(const std::vector<std::pair<int64_t, float>>& scales);
  /// Loads a file of LoraOptions::dir. Throws ApiError: 403 without such a folder, 400 for a name that is taken, 404 for a
  /// file that is not in it, 400 for its faults.
  void load(const std::string& name, const std::string& file);
  /// Takes the adapter out; requests that have it keep it. Throws ApiError (404) for a name that no adapter has.
  void unload(std::string_view name);

 private:
  const Entry* find(std::string_view name) const;

  const Model& model_;
  const std::string dir_;
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
  int64_t next_id_ = 0;
};

}  // namespace skald::serve
