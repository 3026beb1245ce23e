#include "skald/ops.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <memory>
#include <string>
#include <tuple>

#include "ops.h"
#include "skald/error.h"

namespace nb = nanobind;

namespace skald::python {
namespace {

using Array = nb::ndarray<nb::ro, nb::device::cpu>;
using Floats = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
using Queries = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::ndarray<nb::numpy, float> made(std::unique_ptr<float[]> data, size_t n_dims, const size_t* shape) {
  float* const at = data.release();
  const nb::capsule owner(at, [](void* p) noexcept { delete[] static_cast<float*>(p); });
  return {at, n_dims, shape, owner};
}

std::string_view type_of(const Array& x, const char* name) {
  if (x.dtype() == nb::dtype<float>()) return "f32";
  if (x.dtype().bits == 16 && x.dtype().code == static_cast<uint8_t>(nb::dlpack::dtype_code::Float)) return "f16";
  if (x.dtype().bits == 16 && x.dtype().code == static_cast<uint8_t>(nb::dlpack::dtype_code::Bfloat)) return "bf16";
  throw Error(Errc::kBadInput, std::string(name) + ": want numbers of type float32, float16 or bfloat16");
}

// (heads, rows, d), of which d alone must be contiguous.
HeadRows rows_of(const Array& x, const char* name) {
  if (x.ndim() != 3) throw Error(Errc::kBadInput, std::string(name) + ": want an array (KV heads, keys, d)");
  if (x.shape(2) > 1 && x.stride(2) != 1)
    throw Error(Errc::kBadInput, std::string(name) + ": want the numbers of a row side by side");
  const int64_t bytes = x.itemsize();
  return {.type = type_of(x, name),
          .data = x.data(),
          .heads = static_cast<int64_t>(x.shape(0)),
          .rows = static_cast<int64_t>(x.shape(1)),
          .d = static_cast<int64_t>(x.shape(2)),
          .head_stride = x.stride(0) * bytes,
          .row_stride = x.stride(1) * bytes};
}

SparqChoice choice_of(const std::string& word) {
  if (word == "spread") return SparqChoice::kSpread;
  if (word == "magnitude") return SparqChoice::kMagnitude;
  throw Error(Errc::kBadInput, "sparq: choice: want spread or magnitude");
}

std::tuple<nb::ndarray<nb::numpy, float>, int64_t, int64_t> attention(const Queries& q, const Array& k, const Array& v,
                                                                      float scale, int threads, int64_t k1, int64_t k2,
                                                                      double ratio, int64_t local,
                                                                      const std::string& choice) {
  const HeadRows keys = rows_of(k, "k"), values = rows_of(v, "v");
  if (static_cast<int64_t>(q.shape(1)) != keys.d)
    throw Error(Errc::kBadInput, "q: want queries as long as keys: (heads, d)");
  AttendOptions options{.scale = scale, .n_threads = threads};
  options.sparq.k1 = k1;
  options.sparq.k2 = k2;
  options.sparq.ratio = ratio;
  options.sparq.local = local;
  options.sparq.choice = choice_of(choice);
  const size_t shape[] = {q.shape(0), v.shape(2)};
  auto out = std::make_unique<float[]>(shape[0] * shape[1]);
  AttendUse use;
  {
    const nb::gil_scoped_release release;
    use = attend(q.data(), static_cast<int64_t>(shape[0]), keys, values, out.get(), options);
  }
  return {made(std::move(out), 2, shape), use.read, use.dense};
}

NumberFormat format_named(const std::string& name) {
  for (const NumberFormat& f : number_formats())
    if (f.name == name) return f;
  throw Error(Errc::kBadInput, name + ": no format of numbers is called so");
}

nb::bytes quantize_array(const Floats& x, const std::string& name) {
  const NumberFormat format = format_named(name);
  std::string out(x.size() / static_cast<size_t>(format.block) * static_cast<size_t>(format.block_bytes), '\0');
  {
    const nb::gil_scoped_release release;
    quantize(name, x.data(), static_cast<int64_t>(x.size()), out.data());
  }
  return nb::bytes(out.data(), out.size());
}

// `n` numbers, flat.
nb::ndarray<nb::numpy, float> dequantize_bytes(const nb::bytes& blocks, const std::string& name, int64_t n) {
  const NumberFormat format = format_named(name);
  if (n < 0 || n % format.block || static_cast<int64_t>(blocks.size()) != n / format.block * format.block_bytes)
    throw Error(Errc::kBadInput, name + ": " + std::to_string(blocks.size()) + " bytes are not " + std::to_string(n) +
                                     " numbers in blocks of " + std::to_string(format.block));
  const size_t shape[] = {static_cast<size_t>(n)};
  auto out = std::make_unique<float[]>(shape[0]);
  {
    const nb::gil_scoped_release release;
    dequantize(name, blocks.c_str(), n, out.get());
  }
  return made(std::move(out), 1, shape);
}

nb::list formats() {
  nb::list out;
  for (const NumberFormat& f : number_formats()) {
    nb::dict one;
    one["name"] = f.name;
    one["block"] = f.block;
    one["block_bytes"] = f.block_bytes;
    one["can_encode"] = f.can_encode;
    out.append(one);
  }
  return out;
}

}  // namespace

void bind_ops(nb::module_& m) {
  m.def("attention", &attention, nb::arg("q"), nb::arg("k"), nb::arg("v"), nb::arg("scale"), nb::arg("threads"),
        nb::arg("k1"), nb::arg("k2"), nb::arg("ratio"), nb::arg("local"), nb::arg("choice"));
  m.def("quantize", &quantize_array, nb::arg("x"), nb::arg("format"));
  m.def("dequantize", &dequantize_bytes, nb::arg("blocks"), nb::arg("format"), nb::arg("n"));
  m.def("formats", &formats);
}

}  // namespace skald::python
