#include "framework/core/base/counts.h"

#include "framework/core/base/strings.h"

namespace lvtext {

std::string format_count(int64_t count, std::string_view noun) {
  return format_count(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace lvtext
