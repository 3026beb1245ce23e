#include "cli/flags/serve_words.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <utility>

#include "cli/flags/serve.h"

namespace skald {
namespace {

// The parser and what it fills.
struct Parser {
  explicit Parser(ServeWords kind) : serve(kind == ServeWords::kServer ? "serve" : "model") {
    if (kind == ServeWords::kServer)
      serve.declare(flags);
    else
      serve.declare_local(flags);
  }

  CLI::App app;
  Flags flags{app};
  ServeFlags serve;
};

}  // namespace

serve::ServeOptions serve_options(ServeWords kind, std::vector<std::string> words) {
  const auto parser = std::make_shared<Parser>(kind);
  std::ranges::reverse(words);  // the parser takes them from the back
  try {
    parser->app.parse(std::move(words));
  } catch (const CLI::ParseError& e) {
    throw UsageError(e.what());
  }
  serve::ServeOptions options = parser->serve.checked(parser->flags);
  if (options.sampling)  // which asks the flags, at each request
    options.sampling = [parser, of_flags = std::move(options.sampling)](const SamplingParams& of_model, const Model& model) {
      return of_flags(of_model, model);
    };
  return options;
}

std::vector<DeclaredFlag> serve_flags(ServeWords kind) {
  std::vector<DeclaredFlag> out = Parser(kind).flags.table().flags();
  for (DeclaredFlag& flag : out) flag.option = nullptr;  // which goes with the parser
  return out;
}

}  // namespace skald
