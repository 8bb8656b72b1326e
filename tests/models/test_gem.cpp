// Geometric embedding of sentences: numeric cases of Vec2Sent's specification, 7.5, computed with
// NumPy.
#include "models/gem/gem.h"

#include <ATen/ATen.h>

#include "framework/core/base/error.h"
#include "framework/core/text/words.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

class GivenVectors : public Model, public WordVectors {
 public:
  explicit GivenVectors(at::Tensor vectors) : vectors_(std::move(vectors)) {}
  at::Tensor vectors() const override { return vectors_; }

 private:
  at::Tensor vectors_;
};

/// The words a to e have the ids 4 to 8; 9 is a word without a vector.
const std::vector<TokenIds> kSentences = {{4, 5, 6}, {7, 8}, {6, 4, 8, 4}};

at::Tensor word_vectors() {
  const at::Tensor words =
      at::tensor({.3, 0., .4, 0., .3, .1, .2, .2, 0., .5, .1, 0., 0., .2, .6}).view({5, 3});
  return at::cat({at::zeros({4, 3}), words.to(at::kFloat), at::zeros({1, 3})});
}

at::Tensor sentence(size_t index) {
  return word_vectors()
      .to(at::kDouble)
      .index_select(
          0, at::tensor(std::vector<int64_t>(kSentences[index].begin(), kSentences[index].end())));
}

GemOptions small_gem(GemDenominator denominator) {
  return {.window = 1,
          .directions = 2,
          .sentence_directions = 1,
          .power = 3,
          .denominator = denominator};
}

std::shared_ptr<Gem> fitted(const GemOptions& options, const std::vector<TokenIds>& sentences) {
  const auto words = std::make_shared<const Words>(
      std::vector<std::string>{"a", "b", "c", "d", "e", "f"}, WordEncoding{});
  Inputs inputs;
  inputs.add("data", Text(sentences, words));
  inputs.add("vectors",
             {.component = "vectors", .model = std::make_shared<GivenVectors>(word_vectors())});
  auto model = std::make_shared<Gem>(options, ModelInputs{});
  model->fit(inputs, [](const std::string&) {});
  return model;
}

void check_near(const at::Tensor& values, const std::vector<double>& expected, double margin) {
  INFO(values << expected);
  CHECK(
      at::allclose(values.to(at::kDouble).flatten(), at::tensor(expected, at::kDouble), 0, margin));
}

}  // namespace

TEST_CASE("gem: coarse vectors and directions of a text", "[gem]") {
  check_near(coarse_vector(sentence(0), 3), {.09576135, .08268315, .09582412}, 1e-6);
  check_near(coarse_vector(sentence(1), 3), {.15529094, .10370498, .21794036}, 1e-6);
  check_near(coarse_vector(sentence(2), 3), {.31623249, .1301064, .63668308}, 1e-6);
  const auto model = fitted(small_gem(GemDenominator::kWindow), kSentences);
  const auto buffers = model->named_buffers();
  check_near(buffers["values"], {.78821308, .0925855}, 1e-6);
  const at::Tensor directions = buffers["directions"];
  const std::vector<std::vector<double>> shares = {
      {.41253748, .02892924}, {.48395371, .0299396}, {.70380659, .02539777}};
  for (size_t i = 0; i < shares.size(); ++i) {
    check_near(buffers["values"] * sentence(i).matmul(directions).norm(2, 0), shares[i], 1e-6);
  }
}

TEST_CASE("gem: weights of words", "[gem]") {
  const auto buffers = fitted(small_gem(GemDenominator::kWindow), kSentences)->named_buffers();
  const at::Tensor directions = buffers["directions"].slice(1, 0, 1);
  const at::Tensor values = buffers["values"].slice(0, 0, 1);
  // novelty, significance by 2 m + 1 and by the window, uniqueness
  const std::vector<std::vector<std::array<double, 4>>> expected = {
      {{2.63128134, .16124515, .24186773, .50290134},
       {2.09760706, .07808688, .07808688, .82003595},
       {2.09933336, .06992059, .10488088, .84532736}},
      {{2.71305436, .16964014, .25446021, .70708509}, {2.71305436, .2104127, .31561905, .50912739}},
      {{2.47326345, .08537499, .12806248, .94107708},
       {1.81571787, .09941348, .09941348, .75027372},
       {1.91775038, .13727507, .13727507, .83069526},
       {1.91775038, .10852547, .16278821, .70161837}}};
  for (size_t i = 0; i < expected.size(); ++i) {
    const auto full =
        gem_weights(sentence(i), directions, values, small_gem(GemDenominator::kFull));
    const auto window =
        gem_weights(sentence(i), directions, values, small_gem(GemDenominator::kWindow));
    REQUIRE(full.size() == expected[i].size());
    for (size_t k = 0; k < full.size(); ++k) {
      INFO("sentence " << i << ", word " << k);
      CHECK(full[k].novelty == Approx(expected[i][k][0]).margin(1e-6));
      CHECK(full[k].significance == Approx(expected[i][k][1]).margin(1e-6));
      CHECK(window[k].significance == Approx(expected[i][k][2]).margin(1e-6));
      CHECK(window[k].uniqueness == Approx(expected[i][k][3]).margin(1e-6));
    }
  }
}

TEST_CASE("gem: vectors of sentences", "[gem]") {
  const at::Tensor full =
      fitted(small_gem(GemDenominator::kFull), kSentences)->embed(pad_sentences(kSentences));
  check_near(full,
             {.46368744, .96868389, -.4924767, .4946263, .43107759, -.37323639, .15929461,
              .25705635, -.15006017},
             2e-6);
  const auto model = fitted(small_gem(GemDenominator::kWindow), kSentences);
  check_near(model->embed(pad_sentences(kSentences)),
             {.47479384, .96619104, -.49778319, .50010406, .4431491, -.37921286, .1694069,
              .25864569, -.15586632},
             2e-6);
}

TEST_CASE("gem: repeated, unknown and missing words", "[gem]") {
  const auto model = fitted(small_gem(GemDenominator::kWindow), kSentences);
  const auto buffers = model->named_buffers();
  const at::Tensor twice = sentence(0).index_select(0, at::tensor({0, 0}));
  for (const GemWeight& each :
       gem_weights(twice, buffers["directions"].slice(1, 0, 1), buffers["values"].slice(0, 0, 1),
                   small_gem(GemDenominator::kWindow))) {
    CHECK(each.sum() == 2);  // exp(0) + 0 + exp(0)
  }
  // Words without a vector are no neighbors; sentences of them have the zero vector.
  const at::Tensor vectors =
      model->embed(pad_sentences({{4, 5, 6}, {9, 4, 3, 5, 9, 6}, {9, 3}, {}, {4}}));
  CHECK(at::equal(vectors[0], vectors[1]));
  CHECK(vectors.slice(0, 2, 4).eq(0).all().item<bool>());
  CHECK(at::isfinite(vectors).all().item<bool>());
  CHECK(vectors[4].ne(0).any().item<bool>());
  CHECK_THROWS_AS(fitted(small_gem(GemDenominator::kWindow), {{9}, {}}), DataError);
  GemOptions wide = small_gem(GemDenominator::kWindow);
  wide.directions = 4;
  CHECK_THROWS_WITH(fitted(wide, kSentences),
                    Contains("word vectors of width 3; set `directions` to at most 3"));
  wide = small_gem(GemDenominator::kWindow);
  wide.directions = wide.sentence_directions = 3;
  CHECK_THROWS_WITH(fitted(wide, kSentences), Contains("`sentence_directions` to at most 2"));
}
