// The kinds of stores beyond this machine: a file each in stores/kinds.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "hub/settings.h"
#include "kv/disk/record_store.h"
#include "stores/remote_table.h"
#include "stores/store_url.h"

namespace skald {

/// Of this process.
const char* process_environment(const char* name);

struct RemoteStoreOptions {
  std::string url = {};
  std::string password = {};     // in place of the URL's; empty: that
  int64_t most_bytes = 0;        // that the store may hold where its server has no limit of its own
  Environment environment = {};  // of keys and certificates
  RemoteTimes times = {};
};

struct StoreKind {
  std::string_view name;
  std::span<const std::string_view> schemes;
  std::string_view form;  // of the URL
  /// Does not connect yet. Throws kBadInput, without showing secrets.
  std::unique_ptr<RemoteTable> (*open)(StoreUrl url, const RemoteStoreOptions& options);
};

/// Generated from the folder's listing.
std::span<const StoreKind* const> store_kinds();

/// Returns the table that the URL names. Throws kBadInput, without showing secrets.
std::unique_ptr<RemoteTable> open_table(const RemoteStoreOptions& options);
/// The same, as a store of records.
std::unique_ptr<RecordStore> open_store(const RemoteStoreOptions& options);

/// Makes a whole number of a parameter. Throws kBadInput naming it.
int64_t number_of(const std::string& parameter, const std::string& text, int64_t least, int64_t most);

}  // namespace skald
