// Embeddings of requests, in the forms of several APIs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "serve/fields/fields.h"
#include "serve/models/model_pool.h"
#include "serve/request_context.h"

namespace skald::serve {

/// Vectors of unit length, and what they cost.
struct Embeddings {
  std::vector<std::vector<float>> vectors;
  int64_t tokens = 0;
};

/// What is to be embedded: a string, token ids, or a list of either, at most 2048. Throws ApiError naming the field; 400 for
/// a text that is longer than the model's context.
std::vector<EmbedInput> read_inputs(const Fields& fields, std::string_view key, ServedModel& model);

/// Sends what `form` makes of the texts' vectors, when it is their turn; nothing to a client that leaves before, whose
/// texts are not computed. With `dimensions` the vectors' beginnings, of unit length again; 0: all of them.
void answer_embeddings(const std::shared_ptr<RequestContext>& context, Lease model, const std::vector<EmbedInput>& inputs,
                       int64_t dimensions, std::function<Json(const Embeddings&)> form);

/// `dimensions`, which must be no more than the model has; 0 where it is absent.
int64_t read_dimensions(const Fields& fields, ServedModel& model);

/// Little-endian floats in base64.
std::string base64(const std::vector<float>& values);

}  // namespace skald::serve
