// POST /pdf-text: the text of a PDF, which is the body. The machine's pdftotext reads it.
#include "serve/programs/program.h"
#include "serve/route.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

constexpr std::string_view kProgram = "pdftotext";

// Readers of PDFs look for its mark in the first KiB.
bool is_pdf(std::string_view bytes) { return bytes.substr(0, 1024).find("%PDF-") != bytes.npos; }

std::string pdf_text(const std::string& program, std::string_view pdf, RequestContext& context) {
  constexpr int kForbidden = 3;
  const ProgramLimits limits;
  const auto look = [&] {
    if (context.gone()) context.refuse_gone();
  };
  ProgramResult result = run_program({program, "-q", "-nopgbrk", "-enc", "UTF-8", "-", "-"}, pdf, limits, look);
  if (result.end == ProgramEnd::kTime) throw ApiError(400, "the PDF takes too long to read");
  if (result.end == ProgramEnd::kOutput) throw ApiError(400, "the PDF has too much text");
  if (result.status == kForbidden) throw ApiError(400, "the PDF does not permit copying its text");
  if (result.status != 0) throw ApiError(400, "the PDF cannot be read: it is damaged, needs a password or much memory");
  return std::move(result.output);
}

void handle_pdf_text(const std::shared_ptr<RequestContext>& context) {
  const std::string program = find_program(kProgram);
  if (program.empty())
    throw ApiError(501, "this server cannot read PDFs: it finds no pdftotext, which Debian's poppler-utils has");
  if (!is_pdf(context->request().body)) throw ApiError(400, "the body is no PDF");
  context->service().post_program(context, [context, program] {
    const std::string pdf = context->exchange().take_body();
    context->send(Json{{"text", pdf_text(program, pdf, *context)}});
  });
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_pdf_text;
const serve::Route route_pdf_text{.method = "POST", .paths = {"/pdf-text"}, .handle = serve::handle_pdf_text, .quick = true};
}  // namespace skald
