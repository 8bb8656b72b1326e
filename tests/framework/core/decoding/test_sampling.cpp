#include "framework/core/decoding/sampling.h"

#include <ATen/ATen.h>

#include "tests/catch.h"
#include "tests/framework/core/decoding/history_model.h"

using namespace lvtext;

namespace {

/// Five tokens of equal probability, independent of the history.
class EvenOdds : public NextTokenModel {
 public:
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::unique_ptr<DecodeState> start(const Start&) override {
    struct Nothing : DecodeState {
      void select_rows(const at::Tensor&) override {}
    };
    return std::make_unique<Nothing>();
  }
  at::Tensor step(DecodeState&, const at::Tensor& ids) override {
    return at::zeros({ids.size(0), 5});
  }

 private:
  Vocabulary vocabulary_ = testing::three_ids(5);
};

}  // namespace

TEST_CASE("samples: a sentence depends on its index, not on the number of samples", "[decoding]") {
  EvenOdds model;
  const DecodeOptions options{sampling_policy(/*has_prior=*/false), 20, 4};
  const auto all = sample_sentences(model, nullptr, 0, 11, 7, options).sentences;
  const auto first = sample_sentences(model, nullptr, 0, 6, 7, options).sentences;
  const auto rest = sample_sentences(model, nullptr, 6, 5, 7, options).sentences;
  REQUIRE(all.size() == 11);
  CHECK(std::equal(first.begin(), first.end(), all.begin()));
  CHECK(std::equal(rest.begin(), rest.end(), all.begin() + 6));
  CHECK(all != sample_sentences(model, nullptr, 0, 11, 8, options).sentences);
  CHECK(sampling_policy(true).type == Policy::kGreedy);
}
