#include "evaluators/combine/correlation_evaluator.h"
#include "evaluators/combine/gm_evaluator.h"
#include "evaluators/combine/mean_rank_evaluator.h"
#include "evaluators/combine/ratio_evaluator.h"
#include "framework/core/model/registration.h"

namespace lvtext {

void register_combine(Registries& registries) {
  add_evaluator<GmEvaluator, GmOptions>(
      registries, "gm", "Geometric mean of accuracy, similarity and fluency of transferred text",
      {"Pang and Gimpel 2019", "https://aclanthology.org/D19-5614"});
  add_evaluator<MeanRankEvaluator, MeanRankOptions>(
      registries, "mean_rank", "Mean rank of each row over several metrics",
      {"Friedman 1937", "https://doi.org/10.1080/01621459.1937.10503522"});
  add_evaluator<PearsonEvaluator, CorrelationOptions>(
      registries, "pearson", "Pearson's correlation of two metrics over rows",
      {"Pearson 1895", "https://doi.org/10.1098/rspl.1895.0041"});
  add_evaluator<RatioEvaluator, RatioOptions>(registries, "ratio", "Ratio of two metrics of a row",
                                              {});
  add_evaluator<SpearmanEvaluator, CorrelationOptions>(
      registries, "spearman", "Spearman's rank correlation of two metrics over rows",
      {"Spearman 1904", "https://doi.org/10.2307/1412159"});
}

}  // namespace lvtext
