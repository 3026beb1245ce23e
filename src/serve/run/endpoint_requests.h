// The requests of the endpoints that write, as their routes read them: each is defined in the file of its route.
#pragma once

#include "serve/fields/generation_request.h"
#include "serve/request_context.h"

namespace skald::serve {

/// Read all fields but `model`. Throw ApiError naming the field.
GenerationRequest completion_of(const Fields& fields, ServedModel& model, RequestContext& context);
GenerationRequest chat_completion_of(const Fields& fields, ServedModel& model, RequestContext& context);
GenerationRequest response_of(const Fields& fields, ServedModel& model, RequestContext& context);
GenerationRequest message_of(const Fields& fields, ServedModel& model, RequestContext& context);

}  // namespace skald::serve
