#include "models/gpt2/gpt2_options.h"

namespace lvtext {

const std::vector<EnumName<Gpt2Size>>& enum_names(Gpt2Size) {
  static const std::vector<EnumName<Gpt2Size>> names = {
      {"tiny", Gpt2Size::kTiny, "2 layers of 64 units, 2 heads, 128 positions"},
      {"mini", Gpt2Size::kMini, "6 layers of 256 units, 8 heads, 256 positions"},
      {"small", Gpt2Size::kSmall, "12 layers of 768 units, 12 heads, 1024 positions"},
      {"medium", Gpt2Size::kMedium, "24 layers of 1024 units, 16 heads, 1024 positions"},
      {"large", Gpt2Size::kLarge, "36 layers of 1280 units, 20 heads, 1024 positions"},
      {"xl", Gpt2Size::kXl, "48 layers of 1600 units, 25 heads, 1024 positions"}};
  return names;
}

Gpt2Shape preset_shape(Gpt2Size size) {
  switch (size) {
    case Gpt2Size::kTiny: return {2, 2, 64, 128};
    case Gpt2Size::kMini: return {6, 8, 256, 256};
    case Gpt2Size::kSmall: return {12, 12, 768, 1024};
    case Gpt2Size::kMedium: return {24, 16, 1024, 1024};
    case Gpt2Size::kLarge: return {36, 20, 1280, 1024};
    case Gpt2Size::kXl: return {48, 25, 1600, 1024};
  }
  return {};
}

const std::vector<EnumName<Gpt2Loss>>& enum_names(Gpt2Loss) {
  static const std::vector<EnumName<Gpt2Loss>> names = {
      {"nll", Gpt2Loss::kNll, "negative log-likelihood under softmax"},
      {"entmax", Gpt2Loss::kEntmax,
       "entmax loss; the model's probabilities are alpha-entmax of its scores"},
      {"unlikelihood", Gpt2Loss::kUnlikelihood,
       "negative log-likelihood under softmax, and unlikelihood of repetitions"}};
  return names;
}

const std::vector<EnumName<UnlikelihoodLevel>>& enum_names(UnlikelihoodLevel) {
  static const std::vector<EnumName<UnlikelihoodLevel>> names = {
      {"sequence", UnlikelihoodLevel::kSequence,
       "repeated n-grams of the model's own continuations, in some updates"},
      {"token", UnlikelihoodLevel::kToken,
       "all earlier tokens of the text, except the right one, in every update"}};
  return names;
}

}  // namespace lvtext
