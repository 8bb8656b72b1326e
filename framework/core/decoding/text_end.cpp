#include "framework/core/decoding/text_end.h"

#include <algorithm>

namespace lvtext {

bool TextEnd::is(int64_t id) const {
  return std::binary_search(ids.begin(), ids.end(), id);
}

TextEnd end_of(const NextTokenModel& model, std::span<const int32_t> stop_ids) {
  TextEnd end{.ids = {stop_ids.begin(), stop_ids.end()},
              .excluded = never_chosen(model.vocabulary())};
  if (model.ends()) end.ids.push_back(eos_of(model.vocabulary(), "a decoder"));
  std::sort(end.ids.begin(), end.ids.end());
  std::erase_if(end.excluded, [&](int32_t id) { return end.is(id); });
  return end;
}

}  // namespace lvtext
