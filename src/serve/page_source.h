// The web page as the build has joined it (cmake/JoinPage.cmake).
#pragma once

#include <string_view>

namespace skald::serve {

std::string_view page_source();

}  // namespace skald::serve
