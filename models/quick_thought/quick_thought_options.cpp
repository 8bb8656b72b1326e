#include "models/quick_thought/quick_thought_options.h"

namespace lvtext {

const std::vector<EnumName<QuickThoughtSize>>& enum_names(QuickThoughtSize) {
  static const std::vector<EnumName<QuickThoughtSize>> names = {
      {"small", QuickThoughtSize::kSmall, "word vectors 64, 32 units per direction"},
      {"umbc", QuickThoughtSize::kUmbc, "word vectors 300, 600 units per direction"},
      {"bookcorpus", QuickThoughtSize::kBookcorpus, "word vectors 620, 600 units per direction"}};
  return names;
}

QuickThoughtWidths preset_widths(QuickThoughtSize size) {
  switch (size) {
    case QuickThoughtSize::kSmall: return {64, 32};
    case QuickThoughtSize::kUmbc: return {300, 600};
    case QuickThoughtSize::kBookcorpus: return {620, 600};
  }
  return {};
}

}  // namespace lvtext
