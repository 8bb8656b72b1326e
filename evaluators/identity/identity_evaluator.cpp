#include "evaluators/identity/identity_evaluator.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "evaluators/metrics/diversity.h"
#include "evaluators/metrics/tokenize.h"
#include "evaluators/text_tokens.h"
#include "framework/core/base/counts.h"
#include "framework/core/base/strings.h"
#include "framework/core/model/registration.h"
#include "framework/core/statistics/proportion.h"

namespace lvtext {
namespace {

std::vector<std::vector<std::string>> words_of(const Text& text) {
  std::vector<std::vector<std::string>> words;
  for (const std::string& line : text.lines()) words.push_back(tokenize_whitespace(line));
  return words;
}

int64_t count_of(const std::vector<double>& flags) {
  return std::count(flags.begin(), flags.end(), 1.0);
}

}  // namespace

std::vector<Score> identity_scores(const Text& outputs, const Text& references, const Text& seen) {
  check_aligned(outputs.size(), references.size());
  const std::string count = std::to_string(outputs.size());
  const auto score = [&](const std::string& id, std::vector<double> values) {
    for (double& value : values) value *= 100;
    Score score = summarized(
        {.id = id,
         .unit = "%",
         .direction = Direction::kHigher,
         .signature = "identity|score:" + id + compared_signature(std::span(&references, 1)) +
                      "|n_sentences:" + count +
                      "|version:" + std::to_string(IdentityEvaluator::kRevision),
         .rows = {"mean", 1, std::move(values)}});
    if (score.interval) {
      score.interval = {std::max(0.0, score.interval->lo), std::min(100.0, score.interval->hi)};
    }
    return score;
  };
  const auto share = [&](const std::string& id, const std::vector<double>& flags) {
    Score result = score(id, flags);
    const int64_t hits = count_of(flags), n = std::ssize(flags);
    if (n == 0) return result;
    const Interval interval = wilson_interval(static_cast<double>(hits), static_cast<double>(n));
    result.interval = Interval{100 * interval.lo, 100 * interval.hi};
    result.notes = {format_count(hits) + " of " + format_count(n)};
    return result;
  };

  std::vector<std::string> lines;
  auto ours = words_of(outputs), theirs = words_of(references);
  std::vector<double> same, permuted, reordered, pairs;
  for (size_t i = 0; i < ours.size(); ++i) {
    const bool is_same = ours[i] == theirs[i];
    lines.push_back(join(ours[i], " "));
    std::sort(ours[i].begin(), ours[i].end());
    std::sort(theirs[i].begin(), theirs[i].end());
    const bool is_permuted = ours[i] == theirs[i];
    same.push_back(is_same ? 1 : 0);
    permuted.push_back(is_permuted ? 1 : 0);
    reordered.push_back(is_permuted && !is_same ? 1 : 0);
    pairs.insert(pairs.end(), {is_same ? 100.0 : 0.0, permuted.back()});
  }
  const int64_t identical = count_of(same), permutations = count_of(permuted);
  Score ratio = score("id_perm", {});
  ratio.reason = "no output is a permutation of its reference";
  ratio.rows = {"ratio", 2, std::move(pairs)};
  ratio = summarized(std::move(ratio));
  ratio.notes = {format_count(identical) + " of " + format_count(permutations)};
  std::vector<Score> scores = {share("id", same), share("perm", permuted), std::move(ratio),
                               share("reordered", reordered),
                               score("distinct", distinct_values(lines))};
  if (seen.empty()) return scores;
  std::unordered_set<std::string> known;
  for (const std::string& line : seen.lines()) known.insert(join(tokenize_whitespace(line), " "));
  std::vector<double> unseen;
  for (size_t i = 0; i < same.size(); ++i) {
    const std::string line = join(tokenize_whitespace(references.lines()[i]), " ");
    if (!known.contains(line)) unseen.push_back(same[i]);
  }
  scores.push_back(share("id_unseen", unseen));
  return scores;
}

std::vector<InputDecl> IdentityEvaluator::inputs() const {
  return {{.name = "outputs", .help = "decoded sentences", .by_default = reference("row.outputs")},
          {.name = "references",
           .help = "the sentences that were encoded, aligned with the outputs",
           .by_default = reference("data.test"),
           .aligned_with = "outputs"},
          {.name = "seen",
           .help = "training sentences, for `id_unseen`",
           .arity = InputDecl::Arity::kOptional}};
}

std::vector<Score> IdentityEvaluator::evaluate(const Inputs& inputs) const {
  return identity_scores(inputs.text("outputs"), inputs.text("references"),
                         inputs.has("seen") ? inputs.text("seen") : Text());
}

void register_identity(Registries& registries) {
  add_evaluator<IdentityEvaluator, NoOptions>(
      registries, "identity",
      "Outputs that are equal to their reference, and permutations of its words",
      {"Kerscher and Eger 2020", "https://aclanthology.org/2020.coling-main.152"});
}

}  // namespace lvtext
