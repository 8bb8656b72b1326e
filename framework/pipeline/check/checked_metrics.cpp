#include "framework/pipeline/check/checked_metrics.h"

#include <tuple>
#include <utility>

#include "framework/core/base/strings.h"
#include "framework/core/options/mapping.h"
#include "framework/pipeline/check/checked_rows.h"
#include "framework/pipeline/check/names.h"
#include "framework/pipeline/recipe/metric_options.h"

namespace lvtext {
namespace {

/// Reads metrics one by one.
class MetricReader {
 public:
  MetricReader(const CheckContext& context, const Names& names, InputParser& inputs)
      : context_(context), names_(names), inputs_(inputs) {}

  std::optional<CheckedMetric> read_metric(const Node::Entry& metric) {
    const std::string path = "evaluate." + metric.key;
    const MetricOptions options = parse_block<MetricOptions>(metric.value, context_.errors, path);
    if (options.evaluator.empty()) return std::nullopt;  // reported as a missing key
    const Component* evaluator =
        find_component(context_.registries.evaluators, options.evaluator,
                       location_of(metric.value, "evaluator"), context_.errors);
    if (!evaluator) return std::nullopt;
    const auto configured = evaluator->configure(options.own, context_.errors, path);
    if (const Node* score = metric.value.find("score")) {
      names_.check_score(metric.key, options.score, score->location(), path + ".score");
    }
    if (!configured) return std::nullopt;
    CheckedMetric read{.id = metric.key, .evaluator = *configured, .score = options.score};
    read.across_checkpoints =
        options.across.is_scalar() && options.across.text() == kKeptCheckpoints;
    read.pools_checkpoints = options.checkpoints.has_value();
    const Node across = read.across_checkpoints ? Node() : options.across;
    for (const auto& [key, rows, written] : {std::tuple{"rows", &read.rows, &options.rows},
                                             {"across", &read.across, &across},
                                             {"against", &read.against, &options.against}}) {
      const bool with_selects = std::string_view(key) != "rows";
      if (written->is_null()) continue;
      *rows = all_ids(names_.each_rows(*written, path + "." + key, with_selects));
    }
    check_checkpoints(metric, read, *evaluator, path);
    const bool is_of_rows = evaluator->scores_of != ScoresOf::kRow;
    if (is_of_rows && options.across.is_null()) {
      context_.errors.add(
          metric.key_location,
          path + ".across is missing: " + options.evaluator + " combines several rows",
          "such as across: \"ae[*]\"");
    } else if (!is_of_rows && !options.across.is_null()) {
      context_.errors.add(options.across.location(),
                          path + ".across: " + options.evaluator + " scores one row", "remove it");
    }
    read.inputs = inputs_.read(*configured, options.inputs, metric.key_location, {.of_row = true},
                               path + ".inputs");
    return read;
  }

  /// Checks the keys of a metric that refer to kept checkpoints.
  void check_checkpoints(const Node::Entry& written, const CheckedMetric& metric,
                         const Component& evaluator, const std::string& path) {
    const auto refuse = [&](const char* key, const std::string& problem, const std::string& hint) {
      context_.errors.add(written.value.find_entry(key)->value.location(),
                          path + "." + key + ": " + problem, hint);
    };
    const bool each_row = evaluator.scores_of == ScoresOf::kEachRow;
    if ((metric.across_checkpoints || metric.pools_checkpoints) && each_row) {
      refuse(metric.across_checkpoints ? "across" : "checkpoints",
             evaluator.about.name + " computes a score for each row, not for their checkpoints",
             "use an evaluator with one score for all rows, such as spearman");
    } else if (metric.across_checkpoints && metric.pools_checkpoints) {
      refuse("checkpoints", "`across: checkpoints` already uses them", "remove it");
    } else if (metric.pools_checkpoints && !written.value.find("across")) {
      refuse("checkpoints", "it requires rows in `across`",
             "`across: checkpoints` computes one score from the kept checkpoints of each row");
    }
    if (metric.across_checkpoints && !metric.against.empty()) {
      refuse("against", "kept checkpoints of a row cannot be compared", "remove it");
    }
  }

 private:
  CheckContext context_;
  const Names& names_;
  InputParser& inputs_;
};

}  // namespace

bool uses_row(const CheckedMetric& metric, const std::vector<CheckedRow>& rows) {
  const ScoresOf of = metric.evaluator.component->scores_of;
  const bool combines = std::any_of(
      metric.inputs.begin(), metric.inputs.end(),
      [](const CheckedInput& input) { return input.decl.type == ArtifactType::kScores; });
  const auto is_filled_by_row = [&](const CheckedInput& input) {
    return !input.is_written && std::any_of(rows.begin(), rows.end(), [&](const CheckedRow& row) {
      const bool is_own = metric.rows.empty() || contains(metric.rows, row.id);
      return is_own && has_value(row, input.decl.name);
    });
  };
  return of == ScoresOf::kEachRow || metric.across_checkpoints ||
         (of == ScoresOf::kRow &&
          (combines || uses_row(metric.inputs) ||
           std::any_of(metric.inputs.begin(), metric.inputs.end(), is_filled_by_row)));
}

std::vector<CheckedMetric> read_metrics(const CheckContext& context, const Names& names,
                                        InputParser& inputs) {
  MetricReader reader(context, names, inputs);
  std::vector<CheckedMetric> all;
  for (const Node::Entry& metric : context.recipe.options.evaluate.entries()) {
    if (auto read = reader.read_metric(metric)) all.push_back(std::move(*read));
  }
  return all;
}

}  // namespace lvtext
