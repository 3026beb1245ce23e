// Work that takes a while: how far it is, and an end at Ctrl-C.
#pragma once

#include <functional>
#include <string>

namespace skald {

/// Hears the share that is done, 0 to 1.
using OnShare = std::function<void(double share)>;

/// Runs `work`, which must call what it is given now and then; at Ctrl-C that throws through it. False when it did.
bool unless_interrupted(const std::function<void(const std::function<void()>& check)>& work);

/// Runs `write`, showing "writing <out>: 40 %"; at Ctrl-C it ends by an exception, so that it leaves no file behind. False
/// when it did.
bool with_write_progress(const std::string& out, const std::function<void(const OnShare&)>& write);

}  // namespace skald
