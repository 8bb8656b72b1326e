// Catch2 version 2 (Debian 12) or 3 (Ubuntu 24.04) under one include and one set of names.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
/// Matches a string that contains `part`.
inline auto Contains(const std::string& part) {
  return Catch::Matchers::ContainsSubstring(part);
}
#else
#include <catch2/catch.hpp>
using Catch::Matchers::Contains;
#endif
