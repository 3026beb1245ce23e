// What S3 says of a request that it refused.
#pragma once

#include <string>

#include "stores/s3/s3_client.h"

namespace skald {

/// Returns "403 SignatureDoesNotMatch: The request signature ..." of an answer, whose body may hold anything.
std::string s3_error(const S3Answer& answer);

/// Returns the code alone, "NoSuchKey"; empty where there is none.
std::string s3_error_code(const S3Answer& answer);

}  // namespace skald
