// What the system is told about pages of memory. All are hints, but for give_back() of memory that no file backs: the caller
// takes its bytes for lost.
#pragma once

#include <cstddef>
#include <span>

namespace skald {

/// Gives the whole pages within `bytes` back to the system, where it takes them. Those of a mapped file come back when they
/// are read again.
void give_back(std::span<const std::byte> bytes);

/// Tells the system that single pages of `bytes`, which lie in a mapped file, will be read: it reads no others with them.
void expect_single_pages(std::span<const std::byte> bytes);

/// Tells the system that `bytes`, which begin at a page, are read from front to back.
void expect_reading_through(std::span<const std::byte> bytes);

/// Asks for huge pages, of `bytes` that begin at a page.
void want_huge_pages(std::span<const std::byte> bytes);

/// Returns whether all pages of `bytes`, which begin at one, are in memory now, and can be written to.
bool get_pages(std::span<std::byte> bytes);

}  // namespace skald
