// Convolutional classifier: sizes, initial values, windows, padding, gradients, dropout.
#include "models/cnn_classifier/cnn_classifier.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "framework/core/base/error.h"
#include "framework/core/options/yaml.h"
#include "tests/catch.h"
#include "tests/models/fake_context.h"

using namespace lvtext;

namespace {

CnnClassifierOptions options_of(const std::string& yaml) {
  return parse_options_or_throw<CnnClassifierOptions>(parse_yaml_or_throw(yaml));
}

CnnClassifierOptions small() {
  return options_of("{embedding: 3, filter_sizes: [2, 3], filters: 4, min_length: 3}");
}

int64_t parameters_of(CnnClassifier& model) {
  int64_t count = 0;
  for (const ParamGroup& group : model.groups()) {
    for (const auto& [name, value] : group.params) count += value.numel();
  }
  return count;
}

Batch labeled(const std::vector<std::vector<int32_t>>& sentences,
              const std::vector<int64_t>& labels) {
  Batch batch = text_batch(sentences);
  batch.fields["style"] = at::tensor(labels, at::kLong);
  return batch;
}

/// Log-probabilities of one sentence, computed word by word in doubles.
std::vector<double> expected(const CnnClassifier& model, std::vector<int32_t> sentence,
                             const CnnClassifierOptions& options) {
  const auto all = model.named_parameters();
  const auto value = [&](const std::string& name, const std::vector<int64_t>& index) {
    at::Tensor at = all[name];
    for (const int64_t i : index) at = at[i];
    return at.item<double>();
  };
  while (std::ssize(sentence) < options.min_length) sentence.insert(sentence.begin(), 0);
  std::vector<double> features;
  for (const int64_t size : options.filter_sizes) {
    const std::string name = "filters_" + std::to_string(size);
    for (int64_t filter = 0; filter < options.filters; ++filter) {
      double most = -1e9;
      for (int64_t first = 0; first + size <= std::ssize(sentence); ++first) {
        double sum = value(name + ".bias", {filter});
        for (int64_t k = 0; k < size; ++k) {
          for (int64_t e = 0; e < options.embedding; ++e) {
            sum += value(name + ".weight", {filter, e, k}) *
                   value("words.weight", {sentence[first + k], e});
          }
        }
        most = std::max(most, sum > 0 ? sum : options.negative_slope * sum);
      }
      features.push_back(most);
    }
  }
  std::vector<double> logits;
  if (model.classes() == 2) logits.push_back(0);
  for (int64_t output = 0; output < all["output.bias"].size(0); ++output) {
    double sum = value("output.bias", {output});
    for (int64_t i = 0; i < std::ssize(features); ++i) {
      sum += value("output.weight", {output, i}) * features[i];
    }
    logits.push_back(sum);
  }
  double total = 0;
  for (const double logit : logits) total += std::exp(logit);
  for (double& logit : logits) logit -= std::log(total);
  return logits;
}

const std::vector<std::vector<int32_t>> kSentences = {
    {4, 5, 6, 7, 8, 9}, {}, {10}, {5, 4}, {3, 3, 3}, {11, 4, 7, 7}};

}  // namespace

TEST_CASE("cnn_classifier: number of parameters of Shen et al.'s classifier", "[cnn_classifier]") {
  CnnClassifier two({}, testing::model_inputs(50, 1));
  CHECK(two.classes() == 2);
  CHECK(parameters_of(two) == 154369 + 100 * 50);
  CnnClassifier three({}, testing::model_inputs(50, 1, 3));
  CHECK(three.classes() == 3);
  CHECK(parameters_of(three) == 154369 + 100 * 50 + 2 * 385);
}

TEST_CASE("cnn_classifier: initial values are uniform within TensorFlow's bounds",
          "[cnn_classifier]") {
  const CnnClassifier model({}, testing::model_inputs(50, 1));
  const std::vector<std::pair<std::string, double>> bounds = {{"words.weight", 0.2},
                                                              {"filters_3.weight", 0.012451456},
                                                              {"filters_4.weight", 0.010783277},
                                                              {"filters_5.weight", 0.009644856},
                                                              {"filters_3.bias", 0.153093109},
                                                              {"filters_4.bias", 0.153093109},
                                                              {"filters_5.bias", 0.153093109},
                                                              {"output.weight", 0.124838}};
  const auto parameters = model.named_parameters();
  CHECK(parameters.size() == bounds.size() + 1);
  for (const auto& [name, bound] : bounds) {
    INFO(name);
    const at::Tensor values = parameters[name].to(at::kDouble);
    const double most = values.abs().max().item<double>();
    CHECK(most <= bound * 1.00001);
    CHECK(most > bound * 0.95);
    // The variance of U(-b, b) is b^2 / 3; that of n squares has the deviation b^2 sqrt(4/45/n).
    const double n = static_cast<double>(values.numel());
    CHECK(std::abs(values.square().mean().item<double>() / (bound * bound) - 1.0 / 3) <
          4.5 * std::sqrt(4.0 / 45 / n));
  }
  CHECK(std::abs(parameters["output.bias"].item<double>()) < std::sqrt(3.0));
}

TEST_CASE("cnn_classifier: largest response of a filter among the windows of a sentence",
          "[cnn_classifier]") {
  MaxOverTime filters({}, /*embedding=*/2, /*size=*/2, /*filters=*/2);
  filters.to(at::kDouble);
  const at::NoGradGuard no_grad;
  const at::Tensor filter = at::tensor({0.5, 1.0, -0.5, 0.25}, at::kDouble).view({1, 2, 2});
  filters.named_parameters()["weight"].copy_(at::cat({filter, -filter}));
  filters.named_parameters()["bias"].copy_(at::tensor({0.1, -1.5}, at::kDouble));
  const at::Tensor words =
      at::tensor({1.0, -1.0, 0.5, 2.0, -1.0, 0.0}, at::kDouble).view({1, 3, 2}).repeat({2, 1, 1});
  const at::Tensor found = filters.forward(words, at::tensor({3, 2}, at::kLong));
  CHECK(
      at::allclose(found, at::tensor({2.1, 0.25, 2.1, -3.5}, at::kDouble).view({2, 2}), 0, 1e-12));
}

TEST_CASE("cnn_classifier: log-probabilities equal those computed word by word, in any batch",
          "[cnn_classifier]") {
  const CnnClassifierOptions options = small();
  for (const int32_t classes : {2, 3, 1}) {
    INFO(classes << " classes");
    CnnClassifier model(options, testing::model_inputs(12, 3, classes));
    model.to(at::kDouble);
    const at::Tensor together = model.classify(pad_sentences(kSentences));
    REQUIRE(together.sizes() == at::IntArrayRef{std::ssize(kSentences), classes});
    for (size_t i = 0; i < kSentences.size(); ++i) {
      const auto log_p = expected(model, kSentences[i], options);
      const at::Tensor alone = model.classify(pad_sentences({kSentences[i]}))[0];
      for (int32_t c = 0; c < classes; ++c) {
        CHECK(together[static_cast<int64_t>(i)][c].item<double>() ==
              Approx(log_p[c]).epsilon(1e-12).margin(1e-12));
        CHECK(alone[c].item<double>() == Approx(log_p[c]).epsilon(1e-12).margin(1e-12));
      }
    }
  }
}

TEST_CASE("cnn_classifier: a vocabulary without padding is padded by the start symbol",
          "[cnn_classifier]") {
  Vocabulary vocabulary = testing::usual_vocabulary(12);
  vocabulary.pad.reset();
  CnnClassifier model(small(), testing::model_inputs(vocabulary, 3));
  CHECK(
      at::equal(model.classify(pad_sentences({{4}})), model.classify(pad_sentences({{1, 1, 4}}))));
}

TEST_CASE("cnn_classifier: losses, and their gradient by finite differences", "[cnn_classifier]") {
  for (const int32_t classes : {2, 3}) {
    CnnClassifier model(small(), testing::model_inputs(12, 5, classes));
    model.to(at::kDouble);
    FakeContext context(/*training=*/false);
    const Batch batch = labeled(kSentences, {0, 1, 1, 0, 1, classes - 1});
    const auto sums = [&] { return model.losses(model.phases()[0], {batch}, context); };
    double nll = 0, wrong = 0;
    for (size_t i = 0; i < kSentences.size(); ++i) {
      const auto log_p = expected(model, kSentences[i], small());
      const auto label = batch.field("style")[static_cast<int64_t>(i)].item<int64_t>();
      nll -= log_p[label];
      wrong += std::max_element(log_p.begin(), log_p.end()) - log_p.begin() != label;
    }
    const Sums now = sums();
    CHECK(now[0].item<double>() == Approx(nll).epsilon(1e-12));
    CHECK(now[1].item<double>() == wrong);
    now[0].backward();
    const at::NoGradGuard no_grad;
    for (const ParamGroup& group : model.groups()) {
      for (const auto& [name, parameter] : group.params) {
        const at::Tensor values = parameter.view(-1), gradient = parameter.grad().reshape(-1);
        for (int64_t i = 0; i < values.size(0); ++i) {
          const double before = values[i].item<double>();
          values[i] = before + 1e-6;
          const double above = sums()[0].item<double>();
          values[i] = before - 1e-6;
          const double below = sums()[0].item<double>();
          values[i] = before;
          INFO(name << " " << i);
          CHECK(gradient[i].item<double>() ==
                Approx((above - below) / 2e-6).epsilon(1e-5).margin(1e-8));
        }
      }
    }
  }
}

TEST_CASE("cnn_classifier: dropout of the features in training only", "[cnn_classifier]") {
  CnnClassifier model(
      options_of("{embedding: 1, filter_sizes: 1, filters: 1, min_length: 1, dropout: 0.25}"),
      testing::model_inputs(8, 3));
  model.to(at::kDouble);
  {
    const at::NoGradGuard no_grad;
    const auto parameters = model.named_parameters();
    for (const char* name : {"words.weight", "filters_1.weight", "output.weight"}) {
      parameters[name].fill_(1);
    }
    for (const char* name : {"filters_1.bias", "output.bias"}) parameters[name].zero_();
  }
  // The feature is 1, and the logit 0 if it is dropped, otherwise 1 / 0.75.
  const Batch batch = labeled({{4}}, {1});
  const int steps = 2000;
  int dropped = 0;
  for (int step = 0; step < steps; ++step) {
    FakeContext context(/*training=*/true, static_cast<uint64_t>(step));
    const double nll = model.losses(model.phases()[0], {batch}, context)[0].item<double>();
    const bool is_dropped = std::abs(nll - std::log(2.0)) < 1e-9;
    dropped += is_dropped;
    if (!is_dropped) CHECK(nll == Approx(std::log1p(std::exp(-1 / 0.75))).epsilon(1e-9));
  }
  CHECK(std::abs(dropped - 0.25 * steps) < 4.5 * std::sqrt(0.25 * 0.75 * steps));
  FakeContext context(/*training=*/false);
  CHECK(model.losses(model.phases()[0], {batch}, context)[0].item<double>() ==
        Approx(std::log1p(std::exp(-1.0))).epsilon(1e-12));
}

TEST_CASE("cnn_classifier: Kim's variant, and invalid options", "[cnn_classifier]") {
  CnnClassifier plain(small(), testing::model_inputs(12, 3));
  CHECK(plain.groups().back().project.kind == Constraint::kNone);
  CnnClassifier kim(options_of("{embedding: 300, filters: 100, negative_slope: 0, max_norm: 3}"),
                    testing::model_inputs(12, 3));
  const ParamGroup output = kim.groups().back();
  CHECK(output.project.kind == Constraint::kRowNorm);
  CHECK(output.project.bound == 3);
  REQUIRE(output.params.size() == 1);
  CHECK(output.params[0].first == "output.weight");
  CHECK_THROWS_WITH(options_of("{filter_sizes: [3, 4, 6]}"),
                    Contains("min_length must be at least the largest of filter_sizes"));
  CHECK_THROWS_WITH(options_of("{filter_sizes: [3, 3]}"), Contains("must not repeat a size"));
  CHECK_THROWS_WITH(options_of("{filter_sizes: []}"), Contains("filter_sizes"));
}
