// Requests of ollama's API.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "serve/chat.h"
#include "serve/model_shelf.h"

namespace skald::serve {

/// The model's name: there must be one. Throws ApiError (400), and 404 for one that the server does not have.
std::string ollama_model(const Fields& fields, ModelShelf& models);

/// with_model() of that.
void with_ollama_model(const std::shared_ptr<Call>& call, std::function<void(Lease)> make);

/// `options`, `format`, `stream` and `keep_alive`. Throws ApiError naming the field.
void read_ollama(const Fields& fields, ServedModel& model, const Asker& asker, Generation& out);

/// `think`.
void read_think(const Fields& fields, Chat& chat);

/// The messages in the words of the chat API.
Json ollama_messages(const Fields& fields);

}  // namespace skald::serve
