#include "sampling/grammar/schema/shape_algebra.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"

namespace skald {
namespace {

constexpr size_t kMaxForms = 2000;        // of the arrays or objects of one shape
constexpr size_t kMaxWork = 100'000'000;  // pairs of members that are compared in all

template <class Form>
void add_form(std::vector<Form>& forms, Form form) {
  if (std::ranges::find(forms, form) != forms.end()) return;
  if (forms.size() >= kMaxForms) fail(Errc::kUnsupported, "more than {} combinations", kMaxForms);
  forms.push_back(std::move(form));
}

size_t members_of(const ArrayShape& a) { return a.prefix.size() + 10; }

size_t members_of(const ObjectShape& o) { return o.properties.size() + 10 * o.others.size() + 10; }

bool nothing_evaluated(const ArrayShape& a) { return a.evaluated == 0 && !a.all_evaluated && a.evaluated_if.empty(); }

bool nothing_evaluated(const ObjectShape& o) { return o.evaluated == RegexSet::kNothing; }

// Forms that allow everything make others needless, but for what those know about evaluated members.
template <class Form>
std::vector<Form> union_of(const std::vector<Form>& a, const std::vector<Form>& b, const Form& any) {
  const auto covers = [&](const std::vector<Form>& x, const std::vector<Form>& y) {
    return std::ranges::find(x, any) != x.end() &&
           std::ranges::all_of(y, [](const Form& f) { return nothing_evaluated(f); });
  };
  if (covers(a, b)) return a;
  if (covers(b, a)) return b;
  std::vector<Form> out = a;
  for (const Form& form : b) add_form(out, form);
  return out;
}

}  // namespace

Shape ShapeAlgebra::everything() const {
  return {.null = true,
          .no = true,
          .yes = true,
          .numbers = numbers.all(),
          .strings = strings.all(),
          .arrays = {any_array()},
          .objects = {any_object()}};
}

// Combinations that come to nothing are no forms, but take time.
void ShapeAlgebra::count_work(size_t steps) {
  regexes.check_time();
  work_ += steps;
  if (work_ > kMaxWork) fail(Errc::kUnsupported, "too many combinations");
}

template <class Form>
std::vector<Form> ShapeAlgebra::products(const std::vector<Form>& a, const std::vector<Form>& b) {
  std::vector<Form> out;
  for (const Form& x : a) {
    for (const Form& y : b) {
      count_work(members_of(x) * members_of(y));
      if (Form form = both(x, y); !is_void(form)) add_form(out, std::move(form));
    }
  }
  return out;
}

std::vector<ArrayShape> ShapeAlgebra::both(const std::vector<ArrayShape>& a, const std::vector<ArrayShape>& b) {
  return products(a, b);
}

std::vector<ObjectShape> ShapeAlgebra::both(const std::vector<ObjectShape>& a, const std::vector<ObjectShape>& b) {
  return products(a, b);
}

Shape ShapeAlgebra::both(const Shape& a, const Shape& b) {
  return {.null = a.null && b.null,
          .no = a.no && b.no,
          .yes = a.yes && b.yes,
          .numbers = numbers.both(a.numbers, b.numbers),
          .strings = strings.both(a.strings, b.strings),
          .arrays = both(a.arrays, b.arrays),
          .objects = both(a.objects, b.objects)};
}

Shape ShapeAlgebra::either(const Shape& a, const Shape& b) {
  return {.null = a.null || b.null,
          .no = a.no || b.no,
          .yes = a.yes || b.yes,
          .numbers = numbers.either(a.numbers, b.numbers),
          .strings = strings.either(a.strings, b.strings),
          .arrays = union_of(a.arrays, b.arrays, any_array()),
          .objects = union_of(a.objects, b.objects, any_object())};
}

// Takes one form after another away, so that what is empty is seen early. Forms that have nothing in common with it stay.
template <class Form>
std::vector<Form> ShapeAlgebra::minus(std::vector<Form> forms, const std::vector<Form>& taken) {
  for (const Form& t : taken) {
    std::vector<Form> ways, left;
    for (const Form& form : forms) {
      count_work(members_of(form) * members_of(t));
      if (is_void(both(form, t))) {
        add_form(left, form);
        continue;
      }
      if (ways.empty()) ways = complement(t);
      for (Form& part : products(std::vector<Form>{form}, ways)) add_form(left, std::move(part));
    }
    forms = std::move(left);
  }
  return forms;
}

Shape ShapeAlgebra::minus(const Shape& a, const Shape& b) {
  return {.null = a.null && !b.null,
          .no = a.no && !b.no,
          .yes = a.yes && !b.yes,
          .numbers = numbers.both(a.numbers, numbers.complement(b.numbers)),
          .strings = strings.minus(a.strings, b.strings),
          .arrays = minus(a.arrays, b.arrays),
          .objects = minus(a.objects, b.objects)};
}

template <class Form>
std::vector<Form> ShapeAlgebra::one_of(std::span<const Shape> shapes, std::vector<Form> Shape::*forms) {
  std::vector<Form> out;
  for (const Shape& shape : shapes) {
    std::vector<Form> only = shape.*forms;
    for (const Shape& other : shapes) {
      if (&other != &shape) only = minus(std::move(only), other.*forms);
    }
    for (Form& form : only) add_form(out, std::move(form));
  }
  return out;
}

Shape ShapeAlgebra::exactly_one(std::span<const Shape> shapes) {
  Shape once{.numbers = numbers.none(), .arrays = {}, .objects = {}}, twice = once;
  for (const Shape& s : shapes) {
    const Shape scalars{
        .null = s.null, .no = s.no, .yes = s.yes, .numbers = s.numbers, .strings = s.strings, .arrays = {}, .objects = {}};
    twice = either(twice, both(once, scalars));
    once = either(once, scalars);
  }
  Shape out = minus(once, twice);
  out.arrays = one_of(shapes, &Shape::arrays);
  out.objects = one_of(shapes, &Shape::objects);
  return out;
}

}  // namespace skald
