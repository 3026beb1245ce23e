// POST /tokenize: a text's tokens.
#include <fmt/format.h>

#include <iterator>

#include "base/interruption.h"
#include "serve/route.h"
#include "serve/run/generation.h"
#include "text/tokenizer.h"

namespace skald::serve {
namespace {

// Bytes, where they are no text of their own.
std::string piece_json(const std::string& bytes) {
  const Json text = bytes;
  std::string out = dump(text);
  return Json::parse(out) == text ? out : dump(bytes_json(bytes));
}

// Written as it comes: a tree of millions of tokens would take gigabytes.
std::string tokens_json(const std::vector<TokenId>& ids, const Tokenizer& tokenizer, bool pieces) {
  constexpr size_t kWorkOfToken = 16, kWorkOfPiece = 256;
  std::string out = R"({"tokens":[)";
  for (const TokenId id : ids) {
    Interruption::point(pieces ? kWorkOfPiece : kWorkOfToken);
    if (out.back() != '[') out += ',';
    if (pieces)
      fmt::format_to(std::back_inserter(out), R"({{"id":{},"piece":{}}})", id, piece_json(tokenizer.piece_bytes(id)));
    else
      fmt::format_to(std::back_inserter(out), "{}", id);
  }
  return out + "]}";
}

void handle_tokenize(const std::shared_ptr<RequestContext>& context) {
  with_model(context, [context](const Lease& model) {
    const Fields fields(context->body());
    const std::optional<std::string> content = fields.text("content");
    if (!content) refuse_field("content", "a string");
    const EncodeOptions options{.add_special = fields.flag("add_special").value_or(false),
                                .parse_special = fields.flag("parse_special").value_or(true)};
    const bool pieces = fields.flag("with_pieces").value_or(false);
    std::vector<TokenId> ids;
    if (!content->empty() || options.add_special) ids = model->tokenizer().encode(*content, options);
    context->send(HttpAnswer{200, {{"content-type", "application/json"}}, tokens_json(ids, model->tokenizer(), pieces)});
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_tokenize;
const serve::Route route_tokenize{.method = "POST", .paths = {"/tokenize"}, .handle = serve::handle_tokenize};
}  // namespace skald
