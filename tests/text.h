// Helpers for strings and error messages in tests.
#pragma once

#include <functional>
#include <string>

#include "framework/core/base/error.h"

namespace lvtext {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::string repeated(const std::string& text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

/// Error message that `action` fails with; empty if it succeeds.
inline std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace lvtext
