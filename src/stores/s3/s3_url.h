// S3Address: a place in a bucket of S3, or of a server that speaks its language.
#pragma once

#include <string>

#include "hub/settings.h"
#include "stores/store_url.h"

namespace skald {

struct S3Address {
  std::string base = {};   // URL that names are appended to; ends in a slash
  std::string label = {};  // how messages call it
  std::string region = {};
};

/// Of s3://BUCKET[/PREFIX][?endpoint=URL&region=NAME], the form of AWS' tools and Nix. Without an endpoint it is that of the
/// variables AWS_ENDPOINT_URL_S3 and AWS_ENDPOINT_URL, else Amazon's; without a region that of AWS_REGION and
/// AWS_DEFAULT_REGION, else us-east-1. Throws kBadInput.
S3Address s3_address(StoreUrl url, const Environment& environment);

}  // namespace skald
