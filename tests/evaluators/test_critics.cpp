// Distances and matching under critics, on scores that are read off the pixels.
#include <ATen/ATen.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "evaluators/critic_distance/critic_distance_evaluator.h"
#include "evaluators/critic_matching/critic_matching_evaluator.h"
#include "evaluators/ratio/ratio_evaluator.h"
#include "evaluators/synthcxr_matching/synthcxr_matching_evaluator.h"
#include "framework/core/base/strings.h"
#include "framework/core/datasets/dataset_writer.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "tests/text.h"

using namespace lvtext;

namespace {

using Values = std::vector<double>;

/// A critic whose score of an image and a condition is a function of (the value that the pixel
/// encodes, the condition's number).
class TableCritic : public Model, public ImageScorer {
 public:
  using Score = std::function<at::Tensor(const at::Tensor& value, const at::Tensor& condition)>;
  TableCritic(int64_t together, Score score = {}, double bound = 1)
      : together_(together), score_(std::move(score)), bound_(bound) {}
  int64_t scored_condition_size() const override { return score_ ? 1 : 0; }
  int64_t scored_together() const override { return together_; }
  double largest_distance() const override { return bound_; }
  at::Tensor score_images(const at::Tensor& images, const at::Tensor& conditions) override {
    CHECK(images.scalar_type() == at::kByte);
    sizes.push_back(images.size(0));
    const at::Tensor value = (images.flatten(1).select(1, 0).to(at::kDouble) - 50) / 100;
    if (!score_) {
      CHECK_FALSE(conditions.defined());
      return value.unsqueeze(0);
    }
    return score_(value.unsqueeze(0), conditions.squeeze(2).to(at::kDouble));
  }

  std::vector<int64_t> sizes;  ///< of the batches that were scored

 private:
  int64_t together_;
  Score score_;
  double bound_;
};

/// Images of one pixel, which encodes the score; each row has the items of `scores` and, if given,
/// a condition.
Dataset images(const TemporaryFolder& folder, const std::string& name,
               const std::vector<Values>& scores, const Values& conditions = {}) {
  std::vector<ColumnDecl> columns = {
      {.name = "image", .kind = ColumnKind::kImage, .shape = {1, 1, 1}, .ragged = true}};
  if (!conditions.empty()) {
    columns.push_back({.name = "condition", .kind = ColumnKind::kVector, .shape = {1}});
  }
  DatasetWriter writer(folder / name, columns);
  for (size_t row = 0; row < scores.size(); ++row) {
    for (const double score : scores[row]) {
      const std::vector<uint8_t> pixel = {static_cast<uint8_t>(std::lround(100 * score + 50))};
      writer.add_image(0, pixel);
    }
    if (!conditions.empty()) {
      const std::vector<float> condition = {static_cast<float>(conditions[row])};
      writer.add_numbers(1, condition);
    }
    writer.end_row();
  }
  writer.finish();
  return Dataset(folder / name);
}

std::vector<Values> one_each(const Values& scores) {
  std::vector<Values> rows;
  for (const double score : scores) rows.push_back({score});
  return rows;
}

struct Sides {
  std::vector<Values> real, drawn;
  Values real_conditions = {}, drawn_conditions = {};
};

Inputs inputs_of(const std::vector<std::shared_ptr<TableCritic>>& critics, const Sides& sides) {
  const TemporaryFolder folder;
  Inputs inputs;
  for (const auto& critic : critics) {
    inputs.add("critics", LoadedModel{.component = "table", .model = critic, .step = 100});
  }
  inputs.add("real", images(folder, "real", sides.real, sides.real_conditions));
  inputs.add("drawn", images(folder, "drawn", sides.drawn, sides.drawn_conditions));
  return inputs;
}

std::vector<Score> distances(const std::vector<std::shared_ptr<TableCritic>>& critics,
                             const Sides& sides, CriticDistanceOptions options = {}) {
  return CriticDistanceEvaluator(options).evaluate(inputs_of(critics, sides));
}

const Score& find(const std::vector<Score>& scores, const std::string& id) {
  const Score* found = find_score(scores, id);
  REQUIRE(found);
  return *found;
}

std::shared_ptr<TableCritic> critic(int64_t together = 0, TableCritic::Score score = {},
                                    double bound = 1) {
  return std::make_shared<TableCritic>(together, std::move(score), bound);
}

std::string mistake(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("critic_distance: distances of three splits and the overfitting", "[evaluators]") {
  const auto w = [](const Values& real, const Values& drawn) {
    return distances({critic()}, {one_each(real), one_each(drawn)}).front();
  };
  const Score valid = w({.31, .27, .35, .29}, {-.02, .05, .01, .04});
  CHECK(valid.id == "distance");
  CHECK(valid.value == Approx(0.285));
  CHECK(valid.n == 4);
  CHECK(valid.rows.values[1] == Approx(.27 - .05));
  CHECK(valid.direction == Direction::kLower);
  REQUIRE(valid.interval);
  const Score test = w({.40, .38, .33}, {0, .02, .04});
  const Score train = w({.26, .24, .22, .28, .25}, {.03, .01, .02, .05, -.01});
  CHECK(test.value == Approx(0.35));
  CHECK(train.value == Approx(0.23));
  const Score overfitting = ratio_score({.relative = true}, test, train);
  CHECK(overfitting.value == Approx(0.521739130).epsilon(1e-9));
  CHECK(overfitting.interval);
}

TEST_CASE("critic_distance: mean over the images of a row and over critics", "[evaluators]") {
  const Sides sides{one_each({.3, .4}), {{.1, .2, .9}, {.0, .3}}};
  // Two images per row, because a row has no third one.
  const auto scores = distances({critic()}, sides);
  CHECK(find(scores, "distance").value == Approx((.3 - .15 + .4 - .15) / 2));
  CHECK(contains(find(scores, "distance").signature, "|images:2|"));
  CHECK(find(distances({critic()}, sides, {.images = 1}), "distance").value ==
        Approx((.3 - .1 + .4 - .0) / 2));
  CHECK(contains(mistake([&] { distances({critic()}, sides, {.images = 3}); }),
                 "`drawn` has a row with 2 images; 3 are required"));
  CHECK(std::isnan(find(scores, "critics_sd").value));
  CHECK(find(scores, "critics_sd").reason == "there is one critic");

  // The second critic doubles the scores: distances 0.2 and 0.4, 0.2 and 0.8 of their bounds.
  const auto twice = [](const at::Tensor& value, const at::Tensor& condition) {
    return 2 * value + 0 * condition;
  };
  const auto same = [](const at::Tensor& value, const at::Tensor& condition) {
    return value + 0 * condition;
  };
  const Sides with{sides.real, sides.drawn, {1, 2}, {1, 2}};
  const auto two = distances({critic(0, same, 1), critic(0, twice, 0.45)}, with);
  CHECK(find(two, "distance").value == Approx(0.3));
  CHECK(find(two, "critics_sd").value == Approx(std::sqrt(0.02)));
  CHECK(find(two, "bound_share").value == Approx((0.2 + 0.4 / 0.45) / 2));
  CHECK(find(two, "saturated").value == 0.5);
  CHECK(find(two, "steps").value == 100);
  CHECK(contains(join(find(two, "distance").notes), "1 of 2 critics saturated"));
  CHECK(two.front().rows.values[0] == Approx(1.5 * (.3 - .15)));
}

TEST_CASE("critic_distance: whole batches only, and as many rows as both sides have",
          "[evaluators]") {
  const auto of_two = critic(2);
  const auto scores = distances({of_two}, {one_each({.1, .2, .3, .9, .9}), one_each({0, 0, 0})});
  CHECK(find(scores, "distance").value == Approx(.15));
  CHECK(find(scores, "distance").n == 2);
  CHECK(of_two->sizes == std::vector<int64_t>{2, 2});  // real and drawn images, not mixed
  CHECK(contains(join(find(scores, "distance").notes), "the first 2 of 5 rows are scored"));
  CHECK(contains(mistake([&] {
                   distances({critic(4)}, {one_each({0, 0, 0}), one_each({0, 0, 0})});
                 }),
                 "batches of 4 images; there are only 3"));
  CHECK(contains(mistake([&] {
                   distances({critic(2), critic(3)}, {one_each({0}), one_each({0})});
                 }),
                 "different sizes, 2 and 3"));
}

TEST_CASE("critic_matching: mismatch and retrieval", "[evaluators]") {
  // High if the condition is the value of the image.
  const auto match = [](const at::Tensor& value, const at::Tensor& condition) {
    return 1 - (value - condition).abs();
  };
  const auto evaluate = [](const TableCritic::Score& score, const Sides& sides) {
    return CriticMatchingEvaluator({}).evaluate(inputs_of({critic(0, score)}, sides));
  };
  const Sides right{one_each({0, .1, .3}), one_each({0, .1, .3}), {0, .1, .3}, {0, .1, .3}};
  const auto scores = evaluate(match, right);
  CHECK(find(scores, "mismatch").value == Approx((.1 + .2 + .3) / 3));
  CHECK(find(scores, "retrieval").value == 1);
  CHECK(find(scores, "retrieval_real").value == 1);
  const Sides wrong{right.real, one_each({.3, .3, 0}), right.real_conditions,
                    right.drawn_conditions};
  CHECK(find(evaluate(match, wrong), "retrieval").value < 0.5);
  CHECK(find(evaluate(match, wrong), "mismatch").value == find(scores, "mismatch").value);

  // A critic that adds image and condition tells nothing: chance over the images.
  const auto additive = [](const at::Tensor& value, const at::Tensor& condition) {
    return value + condition;
  };
  CHECK(find(evaluate(additive, right), "mismatch").value == Approx(0).margin(1e-7));
  // Equal pairs have equal scores and count half.
  const Sides equal{right.real, right.drawn, {.2, .2, .2}, {.2, .2, .2}};
  const auto tied = evaluate(match, equal);
  CHECK(find(tied, "mismatch").value == 0);
  CHECK(find(tied, "retrieval").value == 0.5);
  CHECK(find(tied, "retrieval_real").value == 0.5);
  // What a critic that has diverged prefers is not known, even if one of its scores is finite.
  const auto diverged = [](const at::Tensor& value, const at::Tensor& condition) {
    return at::where(condition.gt(.2), std::nan(""), value + condition);
  };
  const auto unknown = evaluate(diverged, right);
  for (const Score& score : unknown) {
    CHECK(std::isnan(score.value));
    CHECK(score.reason.empty());
  }
  CHECK(contains(mistake([&] {
                   CriticMatchingEvaluator({}).evaluate(
                       inputs_of({critic()}, {one_each({0, 1}), one_each({0, 1})}));
                 }),
                 "critics of images and conditions"));
}

TEST_CASE("synthcxr_matching: wrong conditions by kind of finding", "[evaluators]") {
  // Normal, an opacity, a nodule, an opacity and an effusion; the pixel encodes the row.
  const std::vector<std::vector<size_t>> findings = {{}, {0}, {1}, {0, 12}};
  const TemporaryFolder folder;
  DatasetWriter writer(folder / "real",
                       {{.name = "image", .kind = ColumnKind::kImage, .shape = {1, 1, 1}},
                        {.name = "condition", .kind = ColumnKind::kVector, .shape = {1}},
                        {.name = "attributes", .kind = ColumnKind::kVector, .shape = {15}}});
  for (size_t row = 0; row < findings.size(); ++row) {
    writer.add_image(0, std::vector<uint8_t>{static_cast<uint8_t>(50 + 100 * row / 4)});
    writer.add_numbers(1, std::vector<float>{static_cast<float>(row) / 4});
    std::vector<float> attributes(15);
    for (const size_t each : findings[row]) attributes[each] = 1;
    writer.add_numbers(2, attributes);
    writer.end_row();
  }
  writer.finish();
  const auto evaluate = [&](const std::vector<TableCritic::Score>& critics) {
    Inputs inputs;
    for (const auto& score : critics) {
      inputs.add("critics", LoadedModel{.component = "table", .model = critic(0, score)});
    }
    inputs.add("real", Dataset(folder / "real"));
    return SynthcxrMatchingEvaluator({}).evaluate(inputs);
  };
  // It finds wrong conditions that are larger, and not those that are smaller.
  const TableCritic::Score larger = [](const at::Tensor& value, const at::Tensor& condition) {
    return -(condition - value).relu();
  };
  const auto scores = evaluate({larger});
  // The next other image is larger for all but the last row; 0 counts half where both are smaller.
  CHECK(find(scores, "ranked").value == Approx((1 + 1 + 1 + .5) / 4));
  // Opacities alone: 0 and 1. Nodules alone: 0 and 2. Both kinds: 0 with 1, 1 with 2, 2 with 0.
  CHECK(find(scores, "ranked_opacity").value == Approx((1 + .5) / 2));
  CHECK(find(scores, "ranked_nodule").value == Approx((1 + .5) / 2));
  CHECK(find(scores, "ranked_focal").value == Approx((1 + 1 + .5) / 3));
  // 1 and 3 differ in the effusion.
  CHECK(find(scores, "ranked_effusion").value == Approx((1 + .5) / 2));
  CHECK(find(scores, "ranked_effusion").rows.values == Values{0, 0, 1, 1, 0, 0, .5, 1});
  CHECK(std::isnan(find(scores, "ranked_heart").value));
  CHECK(contains(find(scores, "ranked_heart").reason, "enlarged hearts alone"));
  const auto unknown = evaluate({larger, [](const at::Tensor&, const at::Tensor& condition) {
                                   return at::full_like(condition, std::nan(""));
                                 }});
  CHECK(std::isnan(find(unknown, "ranked_opacity").value));
  CHECK(find(unknown, "ranked_opacity").reason.empty());
  CHECK(contains(find(unknown, "ranked_heart").reason, "enlarged hearts alone"));
  // A score that no kind needs: the third image has no other one that differs in the effusion.
  const auto in_part = evaluate({[&](const at::Tensor& value, const at::Tensor& condition) {
    return at::where(value.gt(.4).logical_and(value.lt(.6)), std::nan(""),
                     larger(value, condition));
  }});
  CHECK(find(in_part, "ranked_effusion").value == find(scores, "ranked_effusion").value);
  CHECK(std::isnan(find(in_part, "ranked_nodule").value));
  // The mean over critics; one that adds image and condition always prefers the larger condition.
  const TableCritic::Score additive = [](const at::Tensor& value, const at::Tensor& condition) {
    return value + condition;
  };
  CHECK(find(evaluate({larger, additive}), "ranked_opacity").value == Approx((1 + .5 + 0 + 1) / 4));
  CHECK(contains(mistake([&] { evaluate({TableCritic::Score()}); }),
                 "synthcxr_matching requires critics of images and conditions"));
}

TEST_CASE("critics: columns that do not match are errors", "[evaluators]") {
  const auto sum = [](const at::Tensor& value, const at::Tensor& condition) {
    return value + condition;
  };
  CHECK(contains(mistake([&] {
                   distances({critic(0, sum)}, {one_each({0}), one_each({0}), {}, {1}});
                 }),
                 "condition"));
  CHECK(contains(mistake([&] {
                   distances({critic(), critic(0, sum)}, {one_each({0}), one_each({0})});
                 }),
                 "differ in the width of their conditions"));
}
