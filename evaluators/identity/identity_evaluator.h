// Exact reproductions of sentences, and permutations of their words.
#pragma once

#include <vector>

#include "evaluators/evaluator.h"
#include "framework/core/options/options.h"
#include "framework/core/text/text.h"

namespace lvtext {

/// For N pairs of an output and a reference, both split at white space: "id", the share of outputs
/// with the words of the reference; "perm", the share of outputs with the same words in any order,
/// identical ones included; "reordered", the share of the latter that are not identical; "id_perm",
/// the number of identical outputs over that of permutations, undefined without any; "distinct",
/// the number of different outputs over N, as distinct_values() computes it. In percent. `seen`
/// (may be empty) are training sentences: "id_unseen" is "id" of the references that do not occur
/// there. Shares have Wilson's interval, id_perm and distinct a bootstrap over sentences. Throws
/// DataError if the numbers of sentences differ.
std::vector<Score> identity_scores(const Text& outputs, const Text& references, const Text& seen);

class IdentityEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 3;
  explicit IdentityEvaluator(const NoOptions&) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() {
    return {
        {"id", "share of outputs that are equal to the reference"},
        {"perm", "share of outputs with the words of the reference in any order"},
        {"id_perm", "share of identical outputs among these permutations"},
        {"reordered", "share of outputs with the words of the reference in another order"},
        {"distinct", "number of different outputs per output"},
        {"id_unseen", "share of equal outputs for references not among the training sentences"}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override;
};

}  // namespace lvtext
