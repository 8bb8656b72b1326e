#include "evaluators/score_inputs.h"

#include <algorithm>

#include "framework/core/base/strings.h"

namespace lvtext {

const std::vector<Score>& scores_of_rows(const Inputs& inputs, const std::string& input) {
  const auto& scores = inputs.scores(input).scores;
  LVT_ASSERT(scores.size() == 1, "the input '" + input + "' must be one metric");
  return scores.front();
}

const Score& score_of_row(const Inputs& inputs, const std::string& input) {
  const auto& scores = scores_of_rows(inputs, input);
  LVT_ASSERT(scores.size() == 1, "the input '" + input + "' must have the scores of one row");
  return scores.front();
}

std::string signatures_of(const std::vector<Score>& scores) {
  std::vector<std::string> all;
  for (const Score& score : scores) all.push_back("[" + score.signature + "]");
  return "|of:" + join(all, ",");
}

int64_t fewest_sentences(const std::vector<Score>& scores) {
  return std::min_element(scores.begin(), scores.end(),
                          [](const Score& a, const Score& b) { return a.n < b.n; })
      ->n;
}

}  // namespace lvtext
