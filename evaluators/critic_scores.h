// Scores of images by critics, in batches of the size that the critics were trained with.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/component.h"
#include "framework/core/model/inputs.h"

namespace lvtext {

/// Declarations of the inputs of CriticInputs: critics, real, drawn.
std::vector<InputDecl> critic_inputs();

/// Real and drawn images and the critics that score them, from the inputs "critics", "real" and
/// "drawn". The datasets have the column "image" and, for critics with a condition, "condition".
/// The first row of one side corresponds to the
/// first of the other, and so on. The smaller side determines the number of rows; rows after the
/// last whole batch of the critics are left out. Throws ConfigError if the critics differ in the
/// width of their conditions or the size of their batches, DataError if a column does not match the
/// critics or there is no whole batch.
class CriticInputs {
 public:
  /// `items`: number of drawn images per row that are scored, from the first; unset: as many as
  /// every row has.
  CriticInputs(const Inputs& inputs, std::optional<int64_t> items)
      : CriticInputs(inputs, "drawn", items) {}
  /// Real images alone, which are on both sides.
  explicit CriticInputs(const Inputs& inputs) : CriticInputs(inputs, "real", 1) {}

  const std::vector<ImageScorer*>& critics() const { return critics_; }
  /// Number of rows.
  int64_t size() const { return rows_; }
  /// Number of drawn images per row.
  int64_t items() const { return items_; }
  /// Width of the conditions; 0: the critics see images alone.
  int64_t condition_size() const { return condition_size_; }
  /// Throws ConfigError, naming the evaluator, if the critics see images alone.
  void require_conditions(const std::string& evaluator) const;
  const Dataset& real() const { return real_; }
  const Dataset& drawn() const { return drawn_; }
  /// Conditions [rows, E] of the images `item`; undefined without conditions. If a row has fewer
  /// conditions than images, they are used in turn.
  at::Tensor conditions(const Dataset& side, int64_t item) const;
  /// Scores [K, rows] in float64 of the images `item` under K conditions of each, [K, rows, E]
  /// (undefined without conditions). The K pairs of an image are scored in one pass.
  at::Tensor scores(ImageScorer& critic, const Dataset& side, int64_t item,
                    const at::Tensor& conditions) const;
  /// The part of a signature that describes critics and images.
  std::string signature() const;
  /// Notes on rows that are left out.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  /// `drawn_input`: the input of the other side.
  CriticInputs(const Inputs& inputs, const std::string& drawn_input, std::optional<int64_t> items);
  std::vector<ImageScorer*> critics_;
  std::string component_;
  Dataset real_, drawn_;
  int64_t rows_ = 0, items_ = 1, condition_size_ = 0, together_ = 0;
  std::vector<std::string> notes_;
};

/// Whether rows score higher under their first condition than under each other one, [K - 1, rows]:
/// 1 or 0, 0.5 where the scores or the conditions are equal, and NaN where the difference of the
/// scores is, as those of a critic that has diverged. `scores` [K, rows] and `conditions`
/// [K, rows, E] as of CriticInputs::scores().
at::Tensor critic_preferences(const at::Tensor& scores, const at::Tensor& conditions);

}  // namespace lvtext
