// Fields of llama-server's endpoints that write.
#pragma once

#include "serve/fields/generation_request.h"
#include "serve/writers/llama_writer.h"

namespace skald::serve {

/// All but the prompt. Throws ApiError naming the field.
LlamaWriter::Wants read_llama(const Fields& fields, ServedModel& model, const Asker& asker, GenerationRequest& out);

}  // namespace skald::serve
