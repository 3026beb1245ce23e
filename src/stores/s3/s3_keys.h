// S3Keys: by which requests are signed.
#pragma once

#include <string>
#include <string_view>

#include "hub/settings.h"

namespace skald {

struct S3Keys {
  std::string id = {}, secret = {}, token = {};  // token: of a session, or empty
};

/// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; else the profile AWS_PROFILE ("default") of the file
/// AWS_SHARED_CREDENTIALS_FILE, which is ~/.aws/credentials unless set. Throws kBadInput where there are none, without
/// showing any.
S3Keys s3_keys(const Environment& environment);

/// Of a file's text; members stay empty that it does not have.
S3Keys s3_keys_of_file(std::string_view text, std::string_view profile);

}  // namespace skald
