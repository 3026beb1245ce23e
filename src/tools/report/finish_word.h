// Why a text ended, in the word that OpenAI's API has for it.
#pragma once

#include <string_view>

#include "skald/engine.h"

namespace skald {

/// "length" where a limit ended the text, else "stop".
std::string_view finish_word(FinishReason why);

}  // namespace skald
