#include "models/sentence_options.h"

namespace lvtext {

const std::vector<EnumName<ZInject>>& enum_names(ZInject) {
  static const std::vector<EnumName<ZInject>> names = {
      {"init", ZInject::kInit, "the initial state is a projection of z"},
      {"concat", ZInject::kConcat, "z is concatenated to every input"},
      {"add", ZInject::kAdd, "a projection of z is added to every input"}};
  return names;
}

const std::vector<EnumName<WordDropoutType>>& enum_names(WordDropoutType) {
  static const std::vector<EnumName<WordDropoutType>> names = {
      {"unk", WordDropoutType::kUnk, "the unknown word"},
      {"zero", WordDropoutType::kZero, "a vector of zeros"}};
  return names;
}

const std::vector<EnumName<ModelSize>>& enum_names(ModelSize) {
  static const std::vector<EnumName<ModelSize>> names = {
      {"paper", ModelSize::kPaper, "embedding 512, encoder and decoder 1024, latent 128"},
      {"small", ModelSize::kSmall, "embedding 64, encoder and decoder 64, latent 16"}};
  return names;
}

SentenceWidths preset_widths(ModelSize size) {
  if (size == ModelSize::kSmall) return {64, 64, 64, 16};
  return {512, 1024, 1024, 128};
}

}  // namespace lvtext
