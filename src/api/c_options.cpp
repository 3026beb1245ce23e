// The C API: options of engines, copied by the rows of their table.
#include <string>
#include <type_traits>
#include <variant>

#include "api/c_request.h"
#include "stepping/option_table.h"

namespace skald::c_api {
namespace {

// Texts that are NULL and numbers that are zero leave the default.
template <class To, class From>
void take(To& to, From value) {
  if constexpr (std::is_same_v<To, bool>)
    to = value;
  else if (value)
    to = static_cast<To>(value);
}

// Texts have no default in C: they are NULL.
template <class To, class From>
void give(To& to, const From& value) {
  if constexpr (!std::is_pointer_v<To>) to = static_cast<To>(value);
}

// Calls `f` with the place and the member of an option that has both. Texts and numbers never meet.
template <class F>
void visit_member(const OptionRow& row, F f) {
  visit_place(row, [&]<class T, class Part>(T Part::*place) {
    std::visit(
        [&]<class M>(M member) {
          if constexpr (!std::is_same_v<M, std::monostate>) {
            constexpr bool kText = std::is_same_v<M, const char * skald_engine_options::*>;
            if constexpr (kText == std::is_same_v<T, std::string>) f(place, member);
          }
        },
        row.member);
  });
}

}  // namespace

EngineOptions engine_options(const skald_engine_options& o) {
  EngineOptions out;
  for (const OptionRow& row : option_rows())
    visit_member(row, [&](auto place, auto member) { take(value_at(out, place), o.*member); });
  return out;
}

}  // namespace skald::c_api

skald_engine_options skald_engine_defaults(void) {
  skald_engine_options out{};
  const skald::EngineOptions usual;
  for (const skald::OptionRow& row : skald::option_rows())
    skald::c_api::visit_member(
        row, [&](auto place, auto member) { skald::c_api::give(out.*member, skald::value_at(usual, place)); });
  return out;
}
