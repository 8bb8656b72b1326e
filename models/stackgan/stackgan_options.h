// Options of the text-to-image GANs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/core/options/defaulted.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// Sets of options that papers and their code use.
enum class GanForm { kOwn, kPaper, kPytorch, kTensorflow };
const std::vector<EnumName<GanForm>>& enum_names(GanForm);

/// Where a discriminator combines image and condition: batch normalization there or not.
enum class JointNorm { kNone, kBatch };
const std::vector<EnumName<JointNorm>>& enum_names(JointNorm);

/// Which images a generator's update uses.
enum class FakeImages { kSame, kFresh };
const std::vector<EnumName<FakeImages>>& enum_names(FakeImages);

/// What a discriminator sees of the condition.
enum class JudgedCondition { kOwn, kMean };
const std::vector<EnumName<JudgedCondition>>& enum_names(JudgedCondition);

/// Activation of a conditioning net.
enum class ConditioningActivation { kNone, kRelu, kLeaky };
const std::vector<EnumName<ConditioningActivation>>& enum_names(ConditioningActivation);

/// How the KL divergence of a conditioning net is averaged.
enum class KlReduction { kSum, kMean };
const std::vector<EnumName<KlReduction>>& enum_names(KlReduction);

/// Options that all text-to-image GANs have.
struct GanOptions {
  GanForm form = GanForm::kOwn;
  std::string condition = "embedding";
  std::string equal_by;
  int64_t noise = 100;
  int64_t generator = 128, discriminator = 64;
  int64_t judged = 128;
  Defaulted<bool> wrong_pairs, saturating;
  Defaulted<JointNorm> joint_norm;
  Defaulted<FakeImages> fakes;

  template <class V>
  void visit(V& v) {
    v.field(
        "form", form,
        "set of `wrong_pairs`, `saturating`, `joint_norm`, `fakes` and options of conditioning");
    v.field("condition", condition, "column of vectors from which images are drawn", not_empty());
    v.field(
        "equal_by", equal_by,
        "column of vectors, such as attributes: a wrong pair whose two examples have equal ones "
        "is skipped; empty: `condition`");
    v.field("noise", noise, "number of normal random numbers of an image", in_range(1, 65536));
    v.field("generator", generator, "twice the channels of the generator's last block",
            in_range(2, 4096));
    v.field("discriminator", discriminator, "channels of the discriminator's first block",
            in_range(1, 4096));
    v.field("judged", judged, "width of the condition in the discriminator", in_range(1, 65536));
    wrong_pairs.usual = form != GanForm::kPaper;
    saturating.usual = form == GanForm::kPaper;
    joint_norm.usual = form == GanForm::kOwn ? JointNorm::kNone : JointNorm::kBatch;
    fakes.usual = form == GanForm::kTensorflow ? FakeImages::kFresh : FakeImages::kSame;
    v.field(
        "wrong_pairs", wrong_pairs,
        "the discriminator also learns to refuse real images with the next example's condition; unset: from `form`");
    v.field("saturating", saturating,
            "the generator minimizes log(1 - D) in place of -log D; unset: from `form`");
    v.field("joint_norm", joint_norm,
            "normalization where the discriminator joins image and condition; unset: from `form`");
    v.field("fakes", fakes, "images of the generator's update; unset: from `form`");
  }
};

/// Options of the conditioning net of the StackGAN (conditioning augmentation).
struct ConditioningOptions {
  int64_t size = 128;
  Defaulted<ConditioningActivation> activation;
  Defaulted<double> kl_weight;
  Defaulted<KlReduction> kl_reduction;
  Defaulted<JudgedCondition> judges;

  template <class V>
  void visit(V& v) {
    v.field("size", size, "width of the conditioning vector", in_range(1, 65536));
    v.field("activation", activation, "activation of means and log variances; unset: from `form`");
    v.field("kl_weight", kl_weight, "weight of the KL divergence from N(0, I); unset: from `form`",
            at_least(0));
    v.field("kl_reduction", kl_reduction, "how the divergence is averaged; unset: from `form`");
    v.field("judges", judges, "what the discriminator sees of the condition; unset: from `form`");
  }

  /// Sets the defaults of a form.
  void set_usual(GanForm form) {
    const bool is_code = form == GanForm::kPytorch || form == GanForm::kTensorflow;
    activation.usual =
        form == GanForm::kPytorch ? ConditioningActivation::kRelu : ConditioningActivation::kLeaky;
    kl_weight.usual = is_code ? 2.0 : 0.05;
    kl_reduction.usual = is_code ? KlReduction::kMean : KlReduction::kSum;
    judges.usual = form == GanForm::kPytorch ? JudgedCondition::kMean : JudgedCondition::kOwn;
  }
};

struct StageOneOptions : GanOptions {
  ConditioningOptions conditioning;

  template <class V>
  void visit(V& v) {
    GanOptions::visit(v);
    conditioning.set_usual(form);
    v.field("conditioning", conditioning, "conditioning net");
  }
};

struct StageTwoOptions : StageOneOptions {
  int64_t residual_blocks = 4;

  template <class V>
  void visit(V& v) {
    StageOneOptions::visit(v);
    v.field("residual_blocks", residual_blocks, "residual blocks of the generator",
            in_range(0, 64));
  }
};

}  // namespace lvtext
