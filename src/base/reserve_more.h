// Room in a vector, made before work that must not fail.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace skald {

/// Makes room for this many elements more, so that adding them takes no memory. The room grows by factors, as with
/// push_back().
template <class T>
void reserve_more(std::vector<T>& of, size_t more) {
  const size_t size = of.size() + more;
  if (size > of.capacity()) of.reserve(std::max(size, 2 * of.capacity()));
}

}  // namespace skald
