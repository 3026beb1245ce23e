// datetime.strftime() in the C locale.
#pragma once

#include <ctime>
#include <string>
#include <string_view>

#include "text/chat/jinja/run/budget.h"

namespace skald::jinja {

/// `time` as `format` says; conversions that are not known stay as they are, as glibc leaves them.
std::string format_time(std::string_view format, const std::tm& time, Budget& budget);

}  // namespace skald::jinja
