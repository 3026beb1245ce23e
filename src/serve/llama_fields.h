// Fields of llama-server's endpoints that write.
#pragma once

#include "serve/answers/llama_form.h"
#include "serve/generation.h"

namespace skald::serve {

/// All but the prompt. Throws ApiError naming the field.
LlamaForm::Wants read_llama(const Fields& fields, ServedModel& model, const Asker& asker, Generation& out);

}  // namespace skald::serve
