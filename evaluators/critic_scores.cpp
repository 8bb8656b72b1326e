#include "evaluators/critic_scores.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/model/dataset_loader.h"

namespace lvtext {
namespace {

constexpr const char* kImage = "image";
constexpr const char* kCondition = "condition";

void check_column(const Dataset& dataset, const std::string& input, const char* name,
                  ColumnKind kind, int64_t width) {
  const ColumnDecl& decl = dataset.column(name).decl();
  if (decl.kind != kind) {
    throw DataError("the column '" + std::string(name) + "' of `" + input +
                    "` is not a column of " + (kind == ColumnKind::kImage ? "images" : "vectors"));
  }
  if (width > 0 && decl.width() != width) {
    throw DataError("the conditions of `" + input + "` have " +
                    format_count(decl.width(), "dimension") + "; the critics were trained with " +
                    format_count(width));
  }
}

int64_t fewest_items(const DatasetColumn& column) {
  int64_t fewest = column.items(0);
  for (int64_t row = 1; row < column.size(); ++row) fewest = std::min(fewest, column.items(row));
  return fewest;
}

}  // namespace

std::vector<InputDecl> critic_inputs() {
  return {{.name = "critics",
           .help = "critics of the images",
           .type = ArtifactType::kModel,
           .capabilities = {ImageScorer::kName},
           .arity = InputDecl::Arity::kMany},
          {.name = "real",
           .help = "real images, in the column image, with their conditions, in the column "
                   "condition",
           .type = ArtifactType::kDataset},
          {.name = "drawn",
           .help = "drawn images, one or several per row, with the conditions they were drawn from",
           .type = ArtifactType::kDataset}};
}

CriticInputs::CriticInputs(const Inputs& inputs, const std::string& drawn_input,
                           std::optional<int64_t> items)
    : real_(inputs.dataset("real")), drawn_(inputs.dataset(drawn_input)) {
  for (const LoadedModel& critic : inputs.models("critics")) {
    critics_.push_back(&capability_of<ImageScorer>(critic));
    if (critics_.size() == 1) component_ = critic.component;
  }
  if (critics_.empty()) throw DataError("there is no critic");
  condition_size_ = critics_.front()->scored_condition_size();
  together_ = critics_.front()->scored_together();
  for (const ImageScorer* critic : critics_) {
    if (critic->scored_condition_size() != condition_size_) {
      throw ConfigError("`critics` differ in the width of their conditions");
    }
    if (critic->scored_together() != together_) {
      throw ConfigError("`critics` were trained with batches of different sizes, " +
                        format_count(together_) + " and " +
                        format_count(critic->scored_together()));
    }
  }
  for (const auto& [side, input] :
       {std::pair(&real_, std::string("real")), std::pair(&drawn_, drawn_input)}) {
    check_column(*side, input, kImage, ColumnKind::kImage, 0);
    if (condition_size_ > 0) {
      check_column(*side, input, kCondition, ColumnKind::kVector, condition_size_);
    }
  }
  const DatasetColumn& drawn = drawn_.column(kImage);
  if (drawn.decl().shape != real_.column(kImage).decl().shape) {
    throw DataError("real and drawn images differ in their size");
  }
  const int64_t fewest = fewest_items(drawn);
  items_ = items.value_or(fewest);
  if (items_ < 1 || items_ > fewest) {
    throw DataError("`" + drawn_input + "` has a row with " + format_count(fewest, "image") + "; " +
                    format_count(std::max<int64_t>(items_, 1)) + " are required");
  }
  const int64_t all = std::min(real_.size(), drawn_.size());
  rows_ = together_ > 0 ? all / together_ * together_ : all;
  if (rows_ == 0) {
    throw DataError("the critics score batches of " + format_count(together_) +
                    " images; there are only " + format_count(all));
  }
  const int64_t most = std::max(real_.size(), drawn_.size());
  if (rows_ < most) {
    notes_.push_back("the first " + format_count(rows_) + " of " + format_count(most) +
                     " rows are scored: " +
                     (all < most ? "as many as both sides have"
                                 : "whole batches of " + format_count(together_)));
  }
}

at::Tensor CriticInputs::conditions(const Dataset& side, int64_t item) const {
  if (condition_size_ == 0) return {};
  std::vector<int64_t> rows(static_cast<size_t>(rows_));
  std::iota(rows.begin(), rows.end(), 0);
  return make_batch(side.only(kCondition), rows, item).field(kCondition);
}

at::Tensor CriticInputs::scores(ImageScorer& critic, const Dataset& side, int64_t item,
                                const at::Tensor& conditions) const {
  const Dataset images = side.only(kImage);
  const int64_t step = together_ > 0 ? together_ : std::min<int64_t>(rows_, 256);
  std::vector<at::Tensor> scores;
  for (int64_t begin = 0; begin < rows_; begin += step) {
    std::vector<int64_t> rows(static_cast<size_t>(std::min(step, rows_ - begin)));
    std::iota(rows.begin(), rows.end(), begin);
    const at::Tensor pixels = make_batch(images, rows, item).field(kImage);
    const at::Tensor under =
        conditions.defined() ? conditions.slice(1, begin, begin + std::ssize(rows)) : at::Tensor();
    scores.push_back(critic.score_images(pixels, under).to(at::kCPU, at::kDouble));
  }
  return at::cat(scores, 1);
}

void CriticInputs::require_conditions(const std::string& evaluator) const {
  if (condition_size_ == 0) {
    throw ConfigError(evaluator +
                      " requires critics of images and conditions; these critics see images alone");
  }
}

std::string CriticInputs::signature() const {
  std::string shape;
  for (const int64_t size : real_.column(kImage).decl().shape) {
    shape += (shape.empty() ? "" : "x") + std::to_string(size);
  }
  return "critic:" + component_ + "|bound:" + significant(critics_.front()->largest_distance(), 6) +
         "|condition:" + std::to_string(condition_size_) +
         "|critics:" + std::to_string(critics_.size()) + "|batch:" + std::to_string(together_) +
         "|images:" + std::to_string(items_) + "|image:" + shape +
         "|n_rows:" + std::to_string(rows_);
}

at::Tensor critic_preferences(const at::Tensor& scores, const at::Tensor& conditions) {
  const at::Tensor own = scores.slice(0, 0, 1), others = scores.slice(0, 1);
  const at::Tensor wins =
      at::where((own - others).isnan(), std::nan(""),
                (own.gt(others).to(at::kDouble) + own.ge(others).to(at::kDouble)) / 2);
  const at::Tensor equal = conditions.slice(0, 0, 1).eq(conditions.slice(0, 1)).all(2);
  return at::where(equal.logical_and(wins.isfinite()), 0.5, wins);
}

}  // namespace lvtext
