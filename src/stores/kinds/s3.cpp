#include <array>

#include "stores/s3/s3_table.h"
#include "stores/store_kind.h"

namespace skald {
namespace {

constexpr std::array<std::string_view, 1> kSchemes = {"s3"};

std::unique_ptr<RemoteTable> open(StoreUrl url, const RemoteStoreOptions& options) {
  S3Address address = s3_address(std::move(url), options.environment);
  return std::make_unique<S3Table>(std::move(address), s3_keys(options.environment), options.times);
}

}  // namespace

extern const StoreKind store_kind_s3;
const StoreKind store_kind_s3{
    .name = "s3", .schemes = kSchemes, .form = "s3://BUCKET[/PREFIX][?endpoint=URL&region=NAME]", .open = open};

}  // namespace skald
