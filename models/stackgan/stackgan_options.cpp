#include "models/stackgan/stackgan_options.h"

namespace lvtext {

const std::vector<EnumName<GanForm>>& enum_names(GanForm) {
  static const std::vector<EnumName<GanForm>> names = {
      {"own", GanForm::kOwn, "scores of pairs do not depend on the other pairs of the batch"},
      {"paper", GanForm::kPaper,
       "equations 4 and 5 of Spinks and Moens 2018: no wrong pairs, a saturating generator loss"},
      {"sgp", GanForm::kPytorch, "StackGAN-Pytorch: KL mean with the weight 2, D sees the mean"},
      {"sgt", GanForm::kTensorflow,
       "StackGAN, the code in TensorFlow: KL mean with the weight 2, fresh images for the generator"}};
  return names;
}

const std::vector<EnumName<JointNorm>>& enum_names(JointNorm) {
  static const std::vector<EnumName<JointNorm>> names = {
      {"none", JointNorm::kNone, "the logit of a pair depends on this pair alone"},
      {"batch", JointNorm::kBatch,
       "batch normalization: a batch of wrong pairs can be recognized by its statistics"}};
  return names;
}

const std::vector<EnumName<FakeImages>>& enum_names(FakeImages) {
  static const std::vector<EnumName<FakeImages>> names = {
      {"same", FakeImages::kSame, "those that the discriminator was updated with"},
      {"fresh", FakeImages::kFresh, "drawn again, with other noise"}};
  return names;
}

const std::vector<EnumName<JudgedCondition>>& enum_names(JudgedCondition) {
  static const std::vector<EnumName<JudgedCondition>> names = {
      {"own", JudgedCondition::kOwn, "the condition, by a linear layer of the discriminator"},
      {"mean", JudgedCondition::kMean, "the means of the generator's conditioning net"}};
  return names;
}

const std::vector<EnumName<ConditioningActivation>>& enum_names(ConditioningActivation) {
  static const std::vector<EnumName<ConditioningActivation>> names = {
      {"none", ConditioningActivation::kNone, "none"},
      {"relu", ConditioningActivation::kRelu, "ReLU: means and log variances are at least 0"},
      {"leaky", ConditioningActivation::kLeaky, "leaky ReLU of slope 0.2"}};
  return names;
}

const std::vector<EnumName<KlReduction>>& enum_names(KlReduction) {
  static const std::vector<EnumName<KlReduction>> names = {
      {"sum", KlReduction::kSum, "sum over dimensions, mean over examples"},
      {"mean", KlReduction::kMean, "mean over dimensions and examples"}};
  return names;
}

}  // namespace lvtext
