#include "framework/core/decoding/beam_search.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "framework/core/base/error.h"
#include "framework/core/decoding/output_map.h"
#include "framework/core/decoding/policy.h"
#include "framework/core/decoding/top_ids.h"

namespace lvtext {

// A hypothesis of a sentence extended by one token.
struct BeamSearch::Extension {
  double log_probability;
  int64_t beam, id;
  bool operator<(const Extension& other) const {  // sorts better extensions first
    return std::tie(other.log_probability, beam, id) <
           std::tie(log_probability, other.beam, other.id);
  }
};

// The next rows of the batch: their tokens, and the rows that they extend.
struct BeamSearch::Rows {
  std::vector<int64_t> ids, rows;
};

namespace {

bool has_higher_score(const Hypothesis& a, const Hypothesis& b) {
  return a.score > b.score;
}

}  // namespace

BeamSearch::BeamSearch(const BeamOptions& options, const OutputMap& map, TextEnd end,
                       int64_t sentences, int64_t max_length)
    : options_(options),
      map_(map),
      end_(std::move(end)),
      max_length_(max_length),
      sentences_(static_cast<size_t>(sentences)) {
  LVT_ASSERT(options.width >= 1 && options.n_best >= 1 && options.n_best <= options.width &&
                 options.length_norm >= 0,
             "beam options out of range");
}

double BeamSearch::score(double log_probability, int64_t length) const {
  return log_probability / std::pow((5 + static_cast<double>(length)) / 6, options_.length_norm);
}

Continuation BeamSearch::advance(const at::Tensor& scores, int64_t position) {
  const int64_t allowed = scores.size(1) - std::ssize(end_.excluded);
  const int64_t k = std::min(options_.width, allowed);
  const at::Tensor top = top_ids(scores.to(at::kFloat), k, end_.excluded);
  const at::Tensor ids = top.to(at::kCPU).contiguous();
  const at::Tensor log_p = log_probabilities(map_, scores).gather(1, top).to(at::kCPU, at::kDouble);
  Rows next;
  int64_t row = 0;
  for (Sentence& sentence : sentences_) {
    const auto open = static_cast<int64_t>(sentence.open.size());
    extend(sentence,
           best_extensions(sentence, ids.const_data_ptr<int64_t>() + row * k,
                           log_p.const_data_ptr<double>() + row * k, k),
           row, next);
    row += open;
  }
  if (next.ids.empty() || position + 1 == max_length_) return {};
  return {at::tensor(next.ids, at::kLong).to(scores.device()),
          at::tensor(next.rows, at::kLong).to(scores.device())};
}

// `ids` and `log_probabilities` have the k best tokens of each open hypothesis.
std::vector<BeamSearch::Extension> BeamSearch::best_extensions(const Sentence& sentence,
                                                               const int64_t* ids,
                                                               const double* log_probabilities,
                                                               int64_t k) const {
  std::vector<Extension> extensions;
  for (int64_t beam = 0; beam < static_cast<int64_t>(sentence.open.size()); ++beam) {
    for (int64_t i = 0; i < k; ++i) {
      const double log_p = log_probabilities[beam * k + i];
      if (std::isnan(log_p)) throw nonfinite_scores();
      if (!(log_p > -INFINITY)) break;  // probability 0, as all following tokens
      extensions.push_back({sentence.open[beam].log_probability + log_p, beam, ids[beam * k + i]});
    }
  }
  const auto room = static_cast<size_t>(options_.width) - sentence.ended.size();
  const size_t count = std::min(room, extensions.size());
  std::partial_sort(extensions.begin(), extensions.begin() + static_cast<int64_t>(count),
                    extensions.end());
  extensions.resize(count);
  return extensions;
}

// Replaces the open hypotheses, whose rows start at `first_row`, and appends the new ones to the
// batch.
void BeamSearch::extend(Sentence& sentence, const std::vector<Extension>& extensions,
                        int64_t first_row, Rows& next_batch) const {
  std::vector<Hypothesis> open;
  std::vector<int64_t> rows;
  for (const Extension& each : extensions) {
    Hypothesis next = sentence.open[each.beam];
    next.log_probability = each.log_probability;
    next.score = score(each.log_probability, static_cast<int64_t>(next.tokens.size()) + 1);
    next.ended = end_.is(each.id);
    if (next.ended) {
      sentence.ended.push_back(std::move(next));
      continue;
    }
    next.tokens.push_back(static_cast<int32_t>(each.id));
    open.push_back(std::move(next));
    rows.push_back(first_row + each.beam);
  }
  std::stable_sort(sentence.ended.begin(), sentence.ended.end(), has_higher_score);
  sentence.open.clear();
  for (size_t i = 0; i < open.size(); ++i) {
    if (is_beaten(sentence, open[i])) continue;
    next_batch.ids.push_back(open[i].tokens.back());
    next_batch.rows.push_back(rows[i]);
    sentence.open.push_back(std::move(open[i]));
  }
}

bool BeamSearch::is_beaten(const Sentence& sentence, const Hypothesis& hypothesis) const {
  const auto n_best = static_cast<size_t>(options_.n_best);
  if (sentence.ended.size() < n_best) return false;
  // Upper bound: log probabilities only decrease, and the largest length gives the score closest to
  // 0.
  return score(hypothesis.log_probability, max_length_) <= sentence.ended[n_best - 1].score;
}

std::vector<std::vector<Hypothesis>> BeamSearch::best() const {
  std::vector<std::vector<Hypothesis>> results;
  for (const Sentence& sentence : sentences_) {
    std::vector<Hypothesis>& all = results.emplace_back(sentence.ended);
    all.insert(all.end(), sentence.open.begin(), sentence.open.end());
    std::stable_sort(all.begin(), all.end(), has_higher_score);
    all.resize(std::min(all.size(), static_cast<size_t>(options_.n_best)));
  }
  return results;
}

}  // namespace lvtext
