#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "cli/command_line.h"
#include "cli/manual/pages.h"
#include "skald/version.h"

namespace skald {
namespace {

// Text as it is: dashes that can be typed and copied, and no request of roff's at the beginning of a line.
std::string plain(std::string_view text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    begins = c == '\n';
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + plain(text) + "\\fR"; }

std::string capital(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

// Lines stay lines: a list of types, say.
std::string lines(std::string_view text) {
  std::string out;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    out += (at > 0 ? "\n.br\n" : "") + plain(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::string entry(const DeclaredFlag& flag) {
  std::string names;
  for (const DeclaredFlag::Name& name : flag.names) names += (names.empty() ? "" : ", ") + bold(name.text);
  const std::string value = value_text(flag);
  return fmt::format(".TP\n{}{}\n{}\n", names, value.empty() ? "" : " " + italic(value), lines(flag.help));
}

std::string entries(std::span<const DeclaredFlag* const> flags) {
  std::string out;
  for (const DeclaredFlag* flag : flags) out += entry(*flag);
  return out;
}

std::string code(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return fmt::format(".EX\n{}\n.EE\n", plain(text));
}

std::string section_of(const CommandText& command, std::span<const SharedGroup> shared) {
  std::string out = fmt::format(".SS {}\n{}.\n.PP\n{}\n", plain(fmt::format("\"skald {}\"", command.name)),
                                plain(command.summary), bold(command.usage()));
  out += entries(command.positionals);
  std::vector<std::string> elsewhere;
  for (const FlagGroup& group : command.groups) {
    if (const SharedGroup* at = find_shared(shared, group))
      elsewhere.push_back(italic(at->heading));
    else
      out += fmt::format(".PP\n{}\n{}", italic(group.title), entries(group.flags));
  }
  if (!elsewhere.empty()) out += fmt::format(".PP\nFurther flags, which are below: {}.\n", fmt::join(elsewhere, "; "));
  return out;
}

std::string shared_section(const SharedGroup& group) {
  return fmt::format(".SS {}\nOf {}.\n{}", plain("\"" + group.heading + "\""),
                     plain(fmt::format("{}", fmt::join(group.commands, ", "))), entries(group.group.flags));
}

}  // namespace

std::string manual_roff(std::span<const CommandText> commands) {
  const std::vector<SharedGroup> shared = shared_groups(commands);
  std::string sections, below, examples;
  for (const CommandText& command : commands) {
    sections += section_of(command, shared);
    examples += code(command.examples);
  }
  for (const SharedGroup& group : shared) below += shared_section(group);
  return fmt::format(
      ".\\\" Made by `skald man`.\n.TH SKALD 1 \"\" \"skald {}\" \"User Commands\"\n"
      ".SH NAME\nskald \\- run language models on this machine\n"
      ".SH SYNOPSIS\n{} {} [{}]\n.PP\n{}\n"
      ".SH DESCRIPTION\n{}\nIt loads GGUF files and Hugging Face folders. Without a model, a small one that is part of the "
      "program is used.\nOf a flag that is given twice the last counts; lists add up.\n"
      ".SH COMMANDS\n{}.SH \"{}\"\n{}"
      ".SH ENVIRONMENT\n{}\n.TP\n{}, {}, {}, {}\nwhere models from the hub are, and how they are got, as huggingface_hub "
      "reads "
      "them\n"
      ".SH \"EXIT STATUS\"\n{}\n"
      ".SH FILES\n.TP\n{}\nmodels that {} and {} got: huggingface_hub's cache\n"
      ".SH EXAMPLES\n{}",
      build_info().version, bold("skald"), italic("COMMAND"), italic("OPTIONS"), bold("skald --help"),
      plain(kProgramSummary), sections, capital("Flags of several commands"), below, plain(kEnvironmentText),
      bold("HF_HOME"), bold("HF_HUB_CACHE"), bold("HF_HUB_OFFLINE"), bold("HF_TOKEN"), plain(kExitCodesText),
      bold("~/.cache/huggingface/hub"), bold("skald pull"), bold("-hf"), examples);
}

}  // namespace skald
