// The way back, for tests: a golden GGUF file's tensors as the Hugging Face checkpoint that they came from, by functions
// that share nothing with the converter's.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/gguf.h"
#include "tests/support/safetensors_bytes.h"

namespace skald::test {

/// A tensor of a checkpoint: rows of bytes. `row_bytes` of a vector is one element's, so that its elements are rows.
struct BackTensor {
  std::vector<int64_t> shape;
  int64_t row_bytes;
  std::string bytes;

  int64_t rows() const { return static_cast<int64_t>(bytes.size()) / row_bytes; }
  std::string row(int64_t r) const {
    return bytes.substr(static_cast<size_t>(r * row_bytes), static_cast<size_t>(row_bytes));
  }
};

inline BackTensor back_tensor(const GgufTensor& t) {
  BackTensor out{{}, 0, {reinterpret_cast<const char*>(t.data.data()), t.data.size()}};
  for (int i = 0; i < t.shape.rank(); ++i) out.shape.push_back(t.shape[i]);
  out.row_bytes = t.type->block_bytes * (t.shape.rank() == 1 ? 1 : t.shape.back());
  return out;
}

using Undo = std::function<BackTensor(BackTensor)>;

/// Row i of the result is row from(i) of the tensor.
inline BackTensor rows_from(const BackTensor& t, const std::function<int64_t(int64_t)>& from) {
  BackTensor out = t;
  out.bytes.clear();
  for (int64_t i = 0; i < t.rows(); ++i) out.bytes += t.row(from(i));
  return out;
}

/// Of interleaved rotary pairs: values i and i + d/2 of each head come from 2i and 2i + 1.
inline Undo halves_of_heads(int64_t d_head) {
  return [d_head](const BackTensor& t) {
    return rows_from(t, [d_head](int64_t i) {
      const int64_t head = i / d_head, in_head = i % d_head, half = d_head / 2;
      return head * d_head + in_head % half * 2 + in_head / half;
    });
  };
}

/// All queries, all keys, all values as they lie in groups: [group][its queries, key, value].
inline Undo grouped_qkv(int64_t n_heads, int64_t n_groups) {
  return [n_heads, n_groups](const BackTensor& t) {
    const int64_t per_group = n_heads / n_groups, d = t.rows() / (n_heads + 2 * n_groups);
    return rows_from(t, [=](int64_t i) {
      const int64_t group = i / d / (per_group + 2), at = i / d % (per_group + 2);
      const int64_t head = at < per_group ? group * per_group + at : n_heads + (at - per_group) * n_groups + group;
      return head * d + i % d;
    });
  };
}

/// Of (out, in), or of an expert at a time: (in, out). Vectors stay.
inline BackTensor transposed(const BackTensor& t) {
  const auto rank = t.shape.size();
  if (rank < 2) return t;
  const int64_t out = t.shape[rank - 2], in = t.shape[rank - 1];
  BackTensor r = t;
  std::swap(r.shape[rank - 2], r.shape[rank - 1]);
  r.row_bytes = t.row_bytes / in;  // single elements
  BackTensor elements = t;
  elements.row_bytes = r.row_bytes;
  return {r.shape, r.row_bytes * out, rows_from(elements, [=](int64_t i) {
                                        const int64_t each = i / (in * out), row = i / out % in, col = i % out;
                                        return (each * out + col) * in + row;
                                      }).bytes};
}

/// Of f32: one less.
inline BackTensor minus_one(BackTensor t) {
  for (size_t i = 0; i < t.bytes.size(); i += sizeof(float)) {
    float x;
    std::memcpy(&x, t.bytes.data() + i, sizeof x);
    x -= 1;
    std::memcpy(t.bytes.data() + i, &x, sizeof x);
  }
  return t;
}

/// Of f32: each number by a function.
inline Undo each(float (*function)(float)) {
  return [function](BackTensor t) {
    for (size_t i = 0; i < t.bytes.size(); i += sizeof(float)) {
      float x;
      std::memcpy(&x, t.bytes.data() + i, sizeof x);
      x = function(x);
      std::memcpy(t.bytes.data() + i, &x, sizeof x);
    }
    return t;
  };
}
/// Rates of decays as the logarithms that checkpoints have, in one dimension.
inline BackTensor logarithms(const BackTensor& t) {
  BackTensor out = each([](float x) { return std::log(-x); })(t);
  out.shape = {static_cast<int64_t>(t.bytes.size() / sizeof(float))};
  return out;
}
/// In one dimension.
inline BackTensor flat(BackTensor t) {
  t.shape = {static_cast<int64_t>(t.bytes.size() / sizeof(float))};
  return t;
}
/// Of (n, k): (n, 1, k).
inline BackTensor with_middle(BackTensor t) {
  t.shape.insert(t.shape.begin() + 1, 1);
  return t;
}
/// Value heads of `d` rows that take turns, by key heads: those of the rows from `first` on.
inline Undo by_key_heads(int64_t n_keys, int64_t n_values, int64_t d, int64_t first = 0) {
  return [=](const BackTensor& t) {
    const int64_t each = n_values / n_keys;
    return rows_from(t, [=](int64_t i) {
      if (i < first) return i;
      const int64_t head = (i - first) / d;
      return first + (head % each * n_keys + head / each) * d + (i - first) % d;
    });
  };
}

/// Of (n): (1, n).
inline BackTensor as_one_row(BackTensor t) {
  t.shape.insert(t.shape.begin(), 1);
  return t;
}

/// With `n` more rows of any content in front.
inline Undo behind_rows(int64_t n) {
  return [n](const BackTensor& t) {
    BackTensor out = t;
    out.shape[0] += n;
    out.bytes.insert(0, static_cast<size_t>(n * t.row_bytes), 'x');
    return out;
  };
}

/// Adds a golden file's tensors to a checkpoint under their names there.
class Back {
 public:
  Back(const Gguf& file, SafetensorsBytes& out) : file_(file), out_(out) {}

  /// `from` is the GGUF file's name without ".weight" and ".bias", of which each that is there is added. `#` stands for all
  /// layers, `@` in `to` for the parts along the first dimension, which are tensors of their own.
  Back& add(std::string_view from, std::string_view to, const Undo& undo = {}) {
    for (const char* leaf : {".weight", ".bias"}) add_named(std::string(from) + leaf, std::string(to) + leaf, undo);
    return *this;
  }
  /// The same by whole names.
  Back& add_named(std::string_view from, std::string_view to, const Undo& undo = {}) {
    const bool layers = from.find('#') != from.npos;
    for (int64_t i = 0; i < (layers ? n_layers_ : 1); ++i)
      if (const GgufTensor* t = file_.find(at(from, i))) put(*t, at(to, i), undo, from);
    return *this;
  }
  /// Tensors added from these later on are also changed by a function of each number (f32).
  Back& change(std::string_view from, float (*function)(float)) {
    changes_.emplace(from, function);
    return *this;
  }
  /// No layers from here on.
  Back& only_layers_below(int64_t n) {
    n_layers_ = n;
    return *this;
  }

  /// Rows of two tensors of each layer in one, of each expert by itself; all names are whole.
  Back& stack(std::string_view first, std::string_view second, std::string_view to) {
    for (int64_t i = 0; i < n_layers_; ++i) {
      const GgufTensor *a = file_.find(at(first, i)), *b = file_.find(at(second, i));
      if (!a || !b) continue;
      BackTensor x = back_tensor(*a);
      const BackTensor y = back_tensor(*b);
      const size_t axis = x.shape.size() - 2, n = axis ? static_cast<size_t>(x.shape[0]) : 1, each = x.bytes.size() / n;
      x.shape[axis] += y.shape[axis];
      std::string bytes;
      for (size_t e = 0; e < n; ++e) bytes += x.bytes.substr(e * each, each) + y.bytes.substr(e * each, each);
      x.bytes = bytes;
      write(*a, at(to, i), x);
    }
    return *this;
  }

  /// One tensor of several of each layer: element i of `shape` is element `origin(i).second` of the file's tensor
  /// `origin(i).first`; all names are whole.
  using Origin = std::function<std::pair<size_t, int64_t>(int64_t)>;
  Back& join(const std::vector<std::string_view>& from, std::string_view to, const std::vector<int64_t>& shape,
             const Origin& origin) {
    const int64_t n = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies());
    for (int64_t layer = 0; layer < 64; ++layer) {
      if (!file_.find(at(from[0], layer))) continue;
      std::vector<const GgufTensor*> parts;
      for (const std::string_view name : from) parts.push_back(file_.find(at(name, layer)));
      const auto bytes = static_cast<size_t>(parts[0]->type->block_bytes);
      std::string out;
      for (int64_t i = 0; i < n; ++i) {
        const auto [part, element] = origin(i);
        out.append(reinterpret_cast<const char*>(parts[part]->data.data()) + static_cast<size_t>(element) * bytes, bytes);
      }
      write(*parts[0], at(to, layer), {shape, static_cast<int64_t>(bytes), out});
    }
    return *this;
  }

  /// A hyperparameter of the golden file.
  int64_t size(const std::string& key) const {
    return file_.meta().i64(file_.meta().str("general.architecture") + "." + key);
  }

 private:
  static std::string at(std::string_view pattern, int64_t number, char place = '#') {
    std::string out(pattern);
    if (const size_t found = out.find(place); found != out.npos) out.replace(found, 1, std::to_string(number));
    return out;
  }

  void put(const GgufTensor& t, const std::string& name, const Undo& undo, std::string_view from) {
    BackTensor b = undo ? undo(back_tensor(t)) : back_tensor(t);
    if (const auto change = changes_.find(from); change != changes_.end()) b = each(change->second)(b);
    if (name.find('@') == name.npos) return write(t, name, b);
    const size_t n = b.bytes.size() / static_cast<size_t>(b.shape[0]);
    for (int64_t i = 0; i < b.shape[0]; ++i)
      write(t, at(name, i, '@'),
            {{b.shape.begin() + 1, b.shape.end()}, b.row_bytes, b.bytes.substr(static_cast<size_t>(i) * n, n)});
  }

  void write(const GgufTensor& t, const std::string& name, const BackTensor& b) {
    std::string dtype(t.type->name);
    std::ranges::transform(dtype, dtype.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
    out_.tensor(name, dtype, b.shape, std::as_bytes(std::span(b.bytes)));
  }

  const Gguf& file_;
  SafetensorsBytes& out_;
  int64_t n_layers_ = 64;
  std::map<std::string, float (*)(float), std::less<>> changes_;
};

}  // namespace skald::test
