#include "api/c_support.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <new>

namespace skald::c_api {
namespace {

skald_status status_of(Errc code) {
  switch (code) {
    case Errc::kBadInput:
      return SKALD_BAD_INPUT;
    case Errc::kBadFile:
      return SKALD_BAD_FILE;
    case Errc::kNotFound:
      return SKALD_NOT_FOUND;
    case Errc::kUnsupported:
      return SKALD_UNSUPPORTED;
    case Errc::kNoMemory:
      return SKALD_NO_MEMORY;
    case Errc::kDevice:
      return SKALD_FAILED_DEVICE;
    case Errc::kInternal:
      return SKALD_INTERNAL;
    case Errc::kBusy:
      return SKALD_BUSY;
  }
  return SKALD_INTERNAL;
}

// A character that does not fit as a whole is left out.
skald_status tell(skald_error* error, skald_status status, std::string_view message) noexcept {
  if (!error) return status;
  size_t size = std::min(message.size(), sizeof error->message - 1);
  const auto is_inside = [&](size_t i) { return (static_cast<uint8_t>(message[i]) & 0xC0) == 0x80; };
  while (size > 0 && size < message.size() && is_inside(size)) --size;
  error->status = status;
  std::memcpy(error->message, message.data(), size);
  error->message[size] = 0;
  return status;
}

// `size` bytes that free() gives back.
void* allocated(size_t size) {
  void* const bytes = std::malloc(size);
  if (!bytes) throw std::bad_alloc();
  return bytes;
}

}  // namespace

skald_status failed(skald_error* error) noexcept {
  try {
    throw;
  } catch (const Error& e) {
    return tell(error, status_of(e.code()), e.what());
  } catch (const std::bad_alloc&) {
    return tell(error, SKALD_NO_MEMORY, "not enough memory");
  } catch (const std::exception& e) {
    return tell(error, SKALD_INTERNAL, e.what());
  } catch (...) {
    return tell(error, SKALD_INTERNAL, "an unknown exception");
  }
}

std::vector<std::string> texts(const char* const* items, size_t size, const char* name) {
  std::vector<std::string> out;
  for (const char* text : wanted(items, size, name)) out.emplace_back(&wanted(text, name));
  return out;
}

skald_text text_for_caller(std::string_view text) {
  char* const bytes = static_cast<char*>(allocated(text.size() + 1));
  if (!text.empty()) std::memcpy(bytes, text.data(), text.size());
  bytes[text.size()] = 0;
  return {bytes, text.size()};
}

skald_tokens tokens_for_caller(std::span<const TokenId> tokens) {
  auto* const ids = static_cast<skald_token*>(allocated(std::max<size_t>(tokens.size_bytes(), 1)));
  std::ranges::copy(tokens, ids);
  return {ids, tokens.size()};
}

}  // namespace skald::c_api

void skald_text_free(skald_text* text) {
  if (!text) return;
  std::free(text->bytes);
  *text = {};
}

void skald_tokens_free(skald_tokens* tokens) {
  if (!tokens) return;
  std::free(tokens->ids);
  *tokens = {};
}
