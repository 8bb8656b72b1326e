// Scores of rows, of rows at their checkpoints and of several rows.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/pipeline/plan/select_resolver.h"

namespace lvtext {

/// Adds the nodes that score rows by the metrics of a recipe.
class ScoreResolver {
 public:
  ScoreResolver(const ResolverContext& context, Resolver& resolver)
      : context_(context), resolver_(resolver) {}

  /// The node that scores a row by a metric. Throws Absent if there is none.
  std::string score_of(const CheckedMetric& metric, const ResolvedRow& row);
  /// The node that scores a row by a metric at each kept checkpoint of its training; empty if the
  /// metric does not depend on texts generated from these.
  std::string score_at_checkpoints(const CheckedMetric& metric, const ResolvedRow& row);
  /// The nodes of a metric that is computed from several rows together. Rows in `left_out` are
  /// excluded, and so are rows without a score, whose reasons are added to it; with `against`,
  /// their partners too.
  std::vector<SeedNode> across(const CheckedMetric& metric,
                               std::map<std::string, std::string>& left_out);

 private:
  /// Fills the inputs of a metric that take scores: those of one row, or of the rows of `across`.
  FilledScoreInputs scores_for(const CheckedMetric& metric, const std::vector<ResolvedRow>& rows,
                               const std::vector<ResolvedRow>& against);
  /// The scores of a line of `across`: of a row, or of the row chosen by a select.
  NodePart scores_of_line(const CheckedMetric& metric, const ResolvedRow& line);
  /// Fills the other inputs of a metric of several rows; inputs that depend on the row are taken
  /// from each of them.
  FilledInputs inputs_across(const CheckedMetric& metric, const std::vector<ResolvedRow>& lines);
  /// True if an input depends on the line.
  bool is_of_line(const CheckedInput& input, const ResolvedRow& line) const;
  /// The input; if the line is a select, with the chosen row in place of the line.
  CheckedInput input_of_line(const CheckedInput& input, const ResolvedRow& line) const;
  /// A line of `across` (a row or a select) at each of its seeds.
  std::vector<ResolvedRow> lines_of(const std::string& id);
  /// Throws Absent if a line lacks an input of a metric of several rows.
  void check_scores(const CheckedMetric& metric, const std::string& row);
  std::vector<ResolvedRow> rows_at(const std::vector<std::string>& ids, size_t index,
                                   bool at_checkpoints);

  const ResolverContext& context_;
  Resolver& resolver_;
};

}  // namespace lvtext
