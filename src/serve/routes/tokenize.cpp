// POST /tokenize: a text's tokens.
#include "serve/route.h"
#include "serve/run.h"
#include "text/tokenizer.h"

namespace skald::serve {
namespace {

// Bytes, where they are no text of their own.
Json piece_json(const std::string& bytes) {
  const Json text = bytes;
  return Json::parse(dump(text)) == text ? text : bytes_json(bytes);
}

void handle_tokenize(const std::shared_ptr<Call>& call) {
  with_model(call, [call](const Lease& model) {
    const Fields fields(call->body());
    const std::optional<std::string> content = fields.text("content");
    if (!content) refuse_field("content", "a string");
    const EncodeOptions options{.add_special = fields.flag("add_special").value_or(false),
                                .parse_special = fields.flag("parse_special").value_or(true)};
    const bool pieces = fields.flag("with_pieces").value_or(false);
    Json tokens = Json::array();
    if (!content->empty() || options.add_special)
      for (const TokenId id : model->tokenizer().encode(*content, options))
        tokens.push_back(pieces ? Json{{"id", id}, {"piece", piece_json(model->tokenizer().piece_bytes(id))}} : Json(id));
    call->send(Json{{"tokens", std::move(tokens)}});
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_tokenize;
const serve::Route route_tokenize{.method = "POST", .paths = {"/tokenize"}, .handle = serve::handle_tokenize};
}  // namespace skald
