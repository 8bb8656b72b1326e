#include "framework/pipeline/check/checked_metrics.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "framework/core/base/strings.h"
#include "framework/core/options/mapping.h"

namespace lvtext {
namespace {

/// The rows that ids and patterns name; selects are allowed instead of rows.
std::vector<std::string> named_rows(const CheckContext& context, const References& references,
                                    const std::vector<CheckedRow>& all, const Node& written,
                                    const std::string& path, bool with_selects) {
  EntryNames rows;
  for (const CheckedRow& row : all) rows.add(row.id);
  for (const Node::Entry& select : context.recipe.options.select.entries()) {
    if (with_selects && !references.chooses_checkpoints(select.key)) rows.add(select.key);
  }
  for (const auto& [id, reason] : context.recipe.removed_rows()) rows.add_removed(id, reason);
  std::vector<std::string> ids;
  const std::vector<Node> one = {written};
  for (const Node& each : written.is_sequence() ? written.items() : one) {
    const auto reference = parse_reference(each.text());
    const Named named = reference ? rows.match(*reference)
                                  : Named{{},
                                          {},
                                          shown(each.text()) + " is not a row",
                                          suggestion(each.text(), rows.ids())};
    if (!named.problem.empty())
      context.errors.add(each.location(), path + ": " + named.problem, named.hint);
    ids.insert(ids.end(), named.ids.begin(), named.ids.end());
  }
  return ids;
}

void check_score(const std::string& score, const Node& metric, const Component& evaluator,
                 const std::string& path, Errors& errors) {
  const Node* written = metric.find("score");
  if (!written || score.empty()) return;
  const std::vector<std::string> known = evaluator.score_ids();
  if (std::find(known.begin(), known.end(), score) != known.end()) return;
  errors.add(written->location(),
             path + ".score: " + evaluator.about.name + " has no score '" + score + "'",
             suggestion(score, known));
}

/// Reads metrics one by one.
class MetricReader {
 public:
  MetricReader(const CheckContext& context, const References& references, InputParser& inputs,
               const std::vector<CheckedRow>& rows)
      : context_(context), references_(references), inputs_(inputs), rows_(rows) {}

  std::optional<CheckedMetric> read_metric(const Node::Entry& metric) {
    const std::string path = "evaluate." + metric.key;
    const MetricOptions options = parse_block<MetricOptions>(metric.value, context_.errors, path);
    const Component* evaluator = context_.registries.evaluators.find(options.evaluator);
    if (!evaluator) {
      if (const Node* name = metric.value.find("evaluator")) {
        context_.errors.add(name->location(),
                            context_.registries.evaluators.unknown_message(options.evaluator),
                            context_.registries.evaluators.known_message(options.evaluator));
      }
      return std::nullopt;
    }
    const auto configured = evaluator->configure(options.own, context_.errors, path);
    check_score(options.score, metric.value, *evaluator, path, context_.errors);
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
      if (!written->is_null())
        *rows = named_rows(context_, references_, rows_, *written, path + "." + key, with_selects);
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
  const References& references_;
  InputParser& inputs_;
  const std::vector<CheckedRow>& rows_;
};

/// Reads selects one by one.
class SelectReader {
 public:
  SelectReader(const CheckContext& context, const References& references,
               const std::vector<CheckedRow>& rows, const std::vector<CheckedMetric>& metrics)
      : context_(context), references_(references), rows_(rows), metrics_(metrics) {}

  std::optional<CheckedSelect> read_select(const Node::Entry& entry) {
    const std::string path = "select." + entry.key;
    const size_t before = context_.errors.count();
    const Node* among = entry.value.find("among");
    const auto options = parse_options<SelectionOptions>(
        entry.value.without("among").without("label"), context_.errors, {}, path);
    if (!among) {
      context_.errors.add(
          entry.key_location, path + ".among is missing: the candidates",
          "rows such as \"ae[*]\", or `checkpoints` for the kept checkpoints of each row");
    }
    if (context_.errors.count() != before) return std::nullopt;
    CheckedSelect read{entry.key, options.rule(), {}, {}, {}};
    const CheckedMetric* known = read_metric(entry, options, read);
    if (!known) return std::nullopt;
    if (references_.chooses_checkpoints(entry.key)) {
      read.among_checkpoints = true;
      return read;
    }
    const std::vector<Node> one = {*among};
    for (const Node& each : among->is_sequence() ? among->items() : one) {
      const auto pattern = parse_reference(each.text());
      for (const auto& row : named_rows(context_, references_, rows_, each, path + ".among",
                                        /*with_selects=*/false)) {
        const bool is_pattern = pattern && pattern->is_pattern();
        read.among.push_back({is_pattern ? matched(*pattern, row) : row, row});
        if (known->rows.empty() ||
            std::find(known->rows.begin(), known->rows.end(), row) != known->rows.end()) {
          continue;
        }
        context_.errors.add(each.location(),
                            path + ".among: " + known->id + " is not computed for " + row,
                            "its `rows` exclude it");
      }
    }
    return read;
  }

 private:
  /// Sets the metric and the score by which candidates are compared; null after an error.
  const CheckedMetric* read_metric(const Node::Entry& entry, const SelectionOptions& options,
                                   CheckedSelect& read) {
    const std::string path = "select." + entry.key;
    const Node* metric = entry.value.find(options.max ? "max" : options.min ? "min" : "of");
    const auto reference = parse_reference(options.metric());
    const CheckedMetric* known = reference ? find_entry(metrics_, reference->entry()) : nullptr;
    if (!known) {
      std::vector<std::string> ids;
      for (const CheckedMetric& each : metrics_) ids.push_back(each.id);
      context_.errors.add(metric->location(),
                          path + ": " + shown(options.metric()) + " is not a metric of `evaluate`",
                          suggestion(options.metric(), ids));
      return nullptr;
    }
    read.metric = known->id;
    read.score = reference->part;
    const Component& evaluator = *known->evaluator.component;
    const auto scores = evaluator.score_ids();
    if (!read.score.empty() &&
        std::find(scores.begin(), scores.end(), read.score) == scores.end()) {
      context_.errors.add(metric->location(),
                          path + ": " + evaluator.about.name + " has no score '" + read.score + "'",
                          suggestion(read.score, scores));
      return nullptr;
    }
    if (evaluator.scores_of == ScoresOf::kRow && !uses_row(*known, rows_)) {
      context_.errors.add(metric->location(), path + ": " + known->id +
                                                  " uses no row, so that all have the same score");
      return nullptr;
    }
    return known;
  }

  CheckContext context_;
  const References& references_;
  const std::vector<CheckedRow>& rows_;
  const std::vector<CheckedMetric>& metrics_;
};

}  // namespace

std::vector<CheckedMetric> read_metrics(const CheckContext& context, const References& references,
                                        InputParser& inputs, const std::vector<CheckedRow>& rows) {
  MetricReader reader(context, references, inputs, rows);
  std::vector<CheckedMetric> all;
  for (const Node::Entry& metric : context.recipe.options.evaluate.entries()) {
    if (auto read = reader.read_metric(metric)) all.push_back(std::move(*read));
  }
  return all;
}

std::vector<CheckedSelect> read_selects(const CheckContext& context, const References& references,
                                        const std::vector<CheckedRow>& rows,
                                        const std::vector<CheckedMetric>& metrics) {
  SelectReader reader(context, references, rows, metrics);
  std::vector<CheckedSelect> all;
  for (const Node::Entry& select : context.recipe.options.select.entries()) {
    if (auto read = reader.read_select(select)) all.push_back(std::move(*read));
  }
  return all;
}

void check_choose(const std::string& select, const Node& written, const std::string& path,
                  const std::vector<CheckedSelect>& selects, Errors& errors) {
  if (select.empty()) return;
  std::vector<std::string> known;
  for (const CheckedSelect& each : selects) {
    if (each.among_checkpoints) known.push_back(each.id);
  }
  if (std::find(known.begin(), known.end(), select) != known.end()) return;
  const bool among_rows = find_entry(selects, select) != nullptr;
  errors.add(written.find("choose")->location(),
             path + ".choose: " + shown(select) +
                 (among_rows ? " chooses among rows, not among kept checkpoints"
                             : " is not a select among kept checkpoints"),
             among_rows      ? "name it as a line of `rows`"
             : known.empty() ? "such as select: {best: {among: checkpoints, max: METRIC}}"
                             : suggestion(select, known));
}

}  // namespace lvtext
