// Requests of ollama's API.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "serve/chat/chat.h"
#include "serve/models/model_pool.h"

namespace skald::serve {

/// The model's name: there must be one. Throws ApiError (400), and 404 for one that the server does not have.
std::string ollama_model(const Fields& fields, ModelPool& models);

/// with_model() of that.
void with_ollama_model(const std::shared_ptr<RequestContext>& context, std::function<void(Lease)> make);

/// Answers a request without a text, which loads the model, or with `keep_alive: 0` unloads it.
void answer_without_text(RequestContext& context, const Fields& fields, Lease model, bool chat);

/// Reads all that follows but `think`; unknown options are noted. Throws ApiError naming the field.
void read_ollama(RequestContext& context, const Fields& fields, ServedModel& model, GenerationRequest& out);

/// `options`; empty where there are none.
Fields ollama_options(const Fields& fields);
/// `format`, `stream` and `keep_alive`.
void read_ollama_format(const Fields& fields, GenerationRequest& out);
/// `keep_alive`: seconds for which the model is to stay, negative: always. Throws ApiError for what is no time in Go's form.
std::optional<double> read_keep_alive(const Fields& fields);

/// `think`.
void read_think(const Fields& fields, Chat& chat);

/// The messages in the words of the chat API.
Json ollama_messages(const Fields& fields);

}  // namespace skald::serve
