// Texts and messages in tests.
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

/// What a user is told when `action` fails; empty if it does not.
inline std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace lvtext
