// METEOR of a system's outputs against references.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluators/evaluator.h"
#include "evaluators/metrics/meteor.h"
#include "framework/core/options/options.h"
#include "framework/core/text/text.h"

namespace lvtext {

enum class MeteorModule { kExact, kStem, kSynonym };
const std::vector<EnumName<MeteorModule>>& enum_names(MeteorModule);

struct MeteorOptions {
  std::vector<MeteorModule> modules = {MeteorModule::kExact, MeteorModule::kStem,
                                       MeteorModule::kSynonym};
  MeteorParameters parameters;
  std::optional<std::string> synonyms;
  std::string label = "style";

  bool uses(MeteorModule module) const {
    return std::find(modules.begin(), modules.end(), module) != modules.end();
  }

  template <class V>
  void visit(V& v) {
    v.field("modules", modules, "kinds of matches between words");
    v.field("alpha", parameters.alpha, "weight of recall in the mean of precision and recall",
            in_range(0, 1));
    v.field("beta", parameters.beta, "exponent of the fragmentation", at_least(0));
    v.field("gamma", parameters.gamma, "maximum penalty of fragmentation", in_range(0, 1));
    v.field("delta", parameters.delta,
            "weight of content words; that of function words is 1 - delta", in_range(0, 1));
    v.field("synonyms", synonyms,
            "folder with WordNet's index.* and *.exc or METEOR's english.synsets and "
            "english.exceptions; unset: the installed WordNet, /usr/share/wordnet");
    v.field("label", label, "column of `records` with the style of the source", not_empty());
    v.check(uses(MeteorModule::kExact), "modules must contain exact");
  }
};

/// Computes "meteor", the mean over sentences of the largest score against one of the references,
/// and "aggregate", the score of the statistics of all sentences together, both 0..1; with
/// `classes`, one of each sentence, also "meteor_0" and "meteor_1", the means over the sentences of
/// class 0 and 1. Throws DataError if the numbers of sentences differ, MissingError if `modules`
/// has synonym and WordNet is missing.
std::vector<Score> meteor_scores(const MeteorOptions& options, const Text& outputs,
                                 const std::vector<Text>& references,
                                 std::span<const int32_t> classes = {});

class MeteorEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 4;
  explicit MeteorEvaluator(const MeteorOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() {
    return {{"meteor", "mean METEOR of single sentences, 0..1, without the paraphrase table"},
            {"meteor_0", "the same, of the texts whose source has the first style"},
            {"meteor_1", "the same, of the texts whose source has the second style"},
            {"aggregate",
             "METEOR of the matches of all sentences together, as METEOR's program "
             "reports it, without the paraphrase table"}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  MeteorOptions options_;
};

}  // namespace lvtext
