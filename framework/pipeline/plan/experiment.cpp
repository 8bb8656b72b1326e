#include "framework/pipeline/plan/experiment.h"

#include <algorithm>
#include <limits>
#include <set>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/dump.h"
#include "framework/pipeline/check/usual_inputs.h"
#include "framework/pipeline/nodes/joined_rows.h"
#include "framework/pipeline/nodes/train_nodes.h"
#include "framework/pipeline/plan/panels.h"
#include "framework/pipeline/plan/resolver.h"

namespace lvtext {
namespace {

/// Names the nodes: ids of the recipe and fixed words, joined by '-', which ids cannot contain.
/// Names are unique, because the fixed words determine the kinds of the ids before them: ROW,
/// ROW-samples, ROW-METRIC-score, ROW-METRIC-INPUT, METRIC-INPUT, ROW-figure-FIGURE-INPUT,
/// ROW-sheet-SHEET-INPUT, data-source. Further trainings of a row have the seed as a suffix.
class Builder {
 public:
  Builder(const CheckedRecipe& checked, const Registries& registries,
          const ExperimentRequest& request, Graph graph)
      : checked_(checked),
        registries_(registries),
        request_(request),
        other_nodes_(graph.nodes().size()) {
    const Recipe& recipe = checked.recipe;
    experiment_.recipe = recipe;
    experiment_.tables = checked.tables;
    const auto halves = split(recipe.options.recipe, '/');
    experiment_.paper = halves.front();
    experiment_.table = halves.back();
    experiment_.graph = std::move(graph);
    for (const CheckedData& data : checked.data) {
      ExperimentData set{data.id, std::nullopt, add_set(data)};
      if (!data.derived) set.block = data.block;
      const auto* tokenizer = find_entry(checked.tokenizers, data.tokenizer);
      if (set.block && tokenizer) set.block->tokenizer = tokenizer->fit;
      experiment_.data.push_back(std::move(set));
    }
    for (const CheckedMetric& metric : checked.metrics) {
      experiment_.metrics.push_back({metric.id, metric.evaluator.component->about.name,
                                     metric.score, selections_of(metric),
                                     uses_row(metric, checked.rows)});
    }
    resolver_.emplace(ResolverContext{experiment_.graph, registries, checked, data_sets_,
                                      default_set(), request.seeds, request.locations,
                                      to_yaml(recipe.tree)});
  }

  Experiment build() {
    check_seeds();
    find_shown();
    for (const CheckedRow& row : checked_.rows) {
      add_row(row);
      check_size();
    }
    for (const auto& [id, not_run] : experiment_.recipe.options.not_run) {
      ExperimentRow row;
      row.id = id;
      row.label = not_run.label;
      row.reason = not_run.reason;
      experiment_.rows.push_back(std::move(row));
    }
    for (size_t i = 0; i < checked_.metrics.size(); ++i) {
      add_across(checked_.metrics[i], experiment_.metrics[i]);
    }
    if (request_.rows.empty()) {
      for (const CheckedSelect& select : checked_.selects) {
        if (!select.among_checkpoints) add_select(select);
      }
    }
    PanelBuilder panels(experiment_, *resolver_, checked_, first_runs_, !request_.rows.empty());
    for (const CheckedFigure& figure : checked_.figures) panels.add_figure(figure);
    for (const CheckedSheet& sheet : checked_.sheets) panels.add_sheet(sheet);
    set_headlines();
    return std::move(experiment_);
  }

 private:
  // Data sets

  /// The data set of trainings that do not specify one: that called "data", or the only one.
  std::string default_set() const {
    return find_entry(checked_.data, "data") ? "data" : checked_.data.front().id;
  }

  const CheckedData& set_named(const std::string& id) const {
    return *find_entry(checked_.data, id);
  }

  const DataNodes& add_set(const CheckedData& data) {
    if (const auto made = data_sets_.find(data.id); made != data_sets_.end()) return made->second;
    if (!data.derived) {
      return data_sets_[data.id] =
                 add_data(experiment_.graph, data.id, data.block, request_.locations,
                          data.tokenizer.empty() ? "" : tokenizer(data.tokenizer));
    }
    std::vector<SplitOfSource> from;
    for (const auto& [set, split] : data.from) {
      from.push_back({add_set(set_named(set)).source, split});
    }
    const std::string source =
        add_derived_source(experiment_.graph, data.id + "-source", from, data.derived->records);
    const DataNodes& first = add_set(set_named(data.from.front().set));
    std::vector<std::string> splits;
    for (const auto& [split, pack] : first.packs) splits.push_back(split);
    if (!from.front().split.empty()) splits = {"train"};  // the splits are joined
    return data_sets_[data.id] = add_packs(experiment_.graph, data.id, source, first.tokenizer,
                                           splits, data.derived->pack);
  }

  /// The records of a set. A tokenizer may be fitted to them even if the set itself uses it.
  std::string source_of(const CheckedData& data) {
    const std::string name = data.id + "-source";
    if (!data.derived) {
      return add_source(experiment_.graph, name, data.block.source, request_.locations);
    }
    std::vector<SplitOfSource> from;
    for (const auto& [set, split] : data.from) from.push_back({source_of(set_named(set)), split});
    return add_derived_source(experiment_.graph, name, from, data.derived->records);
  }

  std::string tokenizer(const std::string& id) {
    const CheckedTokenizer& found = *find_entry(checked_.tokenizers, id);
    const KnownReference& data = found.data;
    const std::string source = data.id.empty() ? "" : source_of(set_named(data.id));
    return add_tokenizer(experiment_.graph, id, source, found.fit, request_.locations, data.part,
                         data.column);
  }

  // Rows

  /// Checks that the seeds of further trainings, which follow the first seed, fit into an integer.
  void check_seeds() const {
    Errors errors;
    std::set<std::string> reported;  // most models inherit one seed
    for (const auto& entry : checked_.entries) {
      if (!entry->is_model || entry->component.inference) continue;
      const int64_t seeds = request_.seeds.value_or(entry->seeds);
      const int64_t largest = std::numeric_limits<int64_t>::max() - (seeds - 1);
      const std::string message = "train.seed: " + std::to_string(entry->train.seed) +
                                  " is too large for " + std::to_string(seeds) +
                                  " trainings, whose seeds are consecutive";
      if (entry->train.seed <= largest || !reported.insert(message).second) continue;
      errors.add(seed_location(entry->id), message, "allowed: 0.." + std::to_string(largest));
    }
    errors.throw_if_any();
  }

  void check_size() const {
    if (experiment_.graph.nodes().size() - other_nodes_ <= request_.max_nodes) return;
    throw ConfigError(
        "the recipe has more than " + format_count(static_cast<int64_t>(request_.max_nodes)) +
        " nodes; `lvtext config RECIPE --expanded` counts the members of its loops, and "
        "--max-nodes allows more");
  }

  SourceLocation seed_location(const std::string& id) const {
    const RecipeOptions& recipe = checked_.recipe.options;
    const Node* own = recipe.models.find(id)->find("train");
    const Node* seed = own ? own->find("seed") : nullptr;
    if (!seed) seed = recipe.train.find("seed");
    return seed ? seed->location() : SourceLocation{};
  }

  void add_row(const CheckedRow& checked) {
    ExperimentRow row{.id = checked.id, .label = checked.label, .checked = checked};
    const bool requested = request_.rows.empty() || contains(request_.rows, row.id);
    if (!requested) {
      row.reason = "not selected (--rows)";
    } else {
      const auto runs =
          unless_absent(row.reason, [&] { return resolver_->entries().runs_of(checked); });
      if (runs) {
        for (const ResolvedRow& run : *runs) add_run(row, run);
      }
    }
    experiment_.rows.push_back(std::move(row));
  }

  /// The text on which the weights of the models that score are selected.
  static std::map<std::string, std::string> selections_of(const CheckedMetric& metric) {
    std::map<std::string, std::string> selections;
    for (const CheckedInput& input : metric.inputs) {
      for (const auto& filling : input.fillings) {
        const auto* inlined = std::get_if<CheckedModel>(&filling);
        const std::string text = inlined ? inlined->model.selected_on() : "";
        if (!text.empty()) selections[input.decl.name] = text;
      }
    }
    return selections;
  }

  void add_run(ExperimentRow& row, const ResolvedRow& run) {
    if (!run.trained.empty()) {
      // Trainings that set their own seed may differ in their inputs alone.
      row.trained[run.seed.value_or(experiment_.graph.at(run.trained).seed)] = run.trained;
      experiment_.graph.set_row(run.trained, row.id);
    }
    if (run.seed_index == 0) first_runs_.emplace(row.id, run);
    add_texts(row, run);
    if (run.seed_index == 0 && run.model) add_latent_space(row, run);
    add_scores(row, run);
  }

  /// Adds the texts of a row that a metric uses or the report can show.
  void add_texts(ExperimentRow& row, const ResolvedRow& resolved) {
    const CheckedRow& checked_row = *resolved.row;
    const auto text = [&](const std::string& name, const ResolvedRow& run) {
      std::string unused;
      return unless_absent(unused, [&] { return resolver_->references().text_of_row(name, run); });
    };
    const bool at_checkpoints_only = keeps_checkpoints(checked_row) && !shown_.contains(row.id);
    if (resolver_->references().is_requested("samples") && !at_checkpoints_only) {
      if (const auto node = text("samples", resolved)) row.samples[resolved.seed] = *node;
    }
    if (const auto node = text("reconstructions", resolved)) {
      row.reconstructions[resolved.seed] = *node;
    }
    if (resolved.seed_index > 0) return;
    for (const auto& [name, component] : checked_row.generation) {
      if (!resolver_->references().is_requested(name) || checked_row.fillers.contains(name))
        continue;
      ResolvedRow generating = resolved;
      generating.at_checkpoints = at_checkpoints_only && component->at_checkpoints;
      if (const auto node = text(name, generating)) row.generated[name] = *node;
    }
  }

  /// The rows that some table shows with the weights selected by their trainings. For other rows
  /// with scores of kept checkpoints, nothing is generated from the selected weights.
  void find_shown() {
    for (const CheckedTable& table : checked_.tables) {
      for (const TableLine& line : table.lines) {
        for (const TableColumn& column : table.columns) {
          const CheckedMetric* metric = find_entry(checked_.metrics, metric_of(line, column));
          const bool is_of_row = metric && !metric->across_checkpoints &&
                                 metric->evaluator.component->scores_of == ScoresOf::kRow;
          if (!column.choose.empty() || !is_of_row) continue;
          const std::string row = row_of(line, column);
          shown_.insert(row);
          const CheckedSelect* select = find_entry(checked_.selects, row);
          if (!select) continue;
          for (const auto& candidate : select->among) shown_.insert(candidate.row);
        }
      }
    }
  }

  /// The first column of the first table is the score of a training in listings of runs.
  void set_headlines() {
    const CheckedTable& table = checked_.tables.front();
    if (table.columns.empty()) return;
    const TableColumn& column = table.columns.front();
    for (const TableLine& line : table.lines) {
      const ExperimentRow* row = experiment_.row(row_of(line, column));
      if (row == nullptr) continue;
      const ExperimentCell cell = experiment_.cell(line, column);
      if (cell.line || !cell.selections.empty()) continue;  // several scores in one node
      for (const auto& [seed, trained] : row->trained) {
        const auto score = cell.scores.find(seed);
        if (score == cell.scores.end()) continue;
        experiment_.graph.set_headline(trained, metric_of(line, column), column.score,
                                       score->second);
      }
    }
  }

  void add_scores(ExperimentRow& row, const ResolvedRow& resolved) {
    for (const CheckedMetric& metric : checked_.metrics) {
      const std::string at = resolver_->scores().score_at_checkpoints(metric, resolved);
      if (!at.empty()) row.at_checkpoints[metric.id][resolved.seed] = at;
      if (!at.empty() && !shown_.contains(row.id)) continue;
      ExperimentCell& cell = row.cells[metric.id];
      const auto node = unless_absent(
          cell.reason, [&] { return resolver_->scores().score_of(metric, resolved); });
      if (node) cell.scores[resolved.seed] = *node;
    }
    for (const CheckedSelect& select : checked_.selects) {
      if (!select.among_checkpoints) continue;
      const std::string selection = resolver_->selects().checkpoint_selection(select, resolved);
      if (!selection.empty()) row.checkpoint_selections[select.id][resolved.seed] = selection;
    }
  }

  /// Adds a metric that is computed from several rows; rows that do not run are left out.
  void add_across(const CheckedMetric& checked, ExperimentMetric& metric) {
    if (checked.evaluator.component->scores_of == ScoresOf::kRow) return;
    if (checked.across_checkpoints) return;  // add_scores()
    for (const auto* ids : {&checked.across, &checked.against}) {
      for (const auto& id : *ids) {
        const ExperimentRow* row = experiment_.row(id);
        if (row && !row->reason.empty()) metric.left_out[id] = row->reason;
        // A selection among fewer rows would be a different selection.
        if (!row && !request_.rows.empty()) metric.left_out[id] = "not selected (--rows)";
      }
    }
    metric.scores_each_row = checked.evaluator.component->scores_of == ScoresOf::kEachRow;
    const auto scores = resolver_->scores().across(checked, metric.left_out);
    for (const auto& id : checked.across) {
      if (!metric.left_out.contains(id)) metric.across.push_back(id);
    }
    for (const auto& one : scores) {
      if (one.node.empty()) {
        metric.of_rows.reason = one.reason;
      } else {
        metric.of_rows.scores[one.seed] = one.node;
      }
    }
  }

  void add_select(const CheckedSelect& checked) {
    ExperimentSelect select{.id = checked.id};
    for (const auto& candidate : checked.among) select.rows[candidate.key] = candidate.row;
    for (const auto& selection : resolver_->selects().selections(checked)) {
      if (selection.node.empty()) {
        select.reason = selection.reason;
      } else {
        select.selections[selection.seed] = selection.node;
      }
    }
    experiment_.selects.push_back(std::move(select));
  }

  /// The dataset with the sentences that a row reconstructs; empty: none.
  std::string reconstructed_text(const ExperimentRow& row) const {
    if (row.reconstructions.empty()) return "";
    const NodeRows rows = rows_of(experiment_.graph, row.reconstructions.begin()->second);
    for (const auto& [id, nodes] : data_sets_) {
      const auto pack = nodes.packs.find(rows.split);
      if (nodes.source == rows.source && pack != nodes.packs.end()) return pack->second;
    }
    return "";
  }

  /// Adds inference for the report: the row's generation of that name with these options.
  std::string shown(const ResolvedRow& run, const char* name, const std::string& text,
                    const std::vector<std::pair<const char*, int64_t>>& options) {
    const auto found = run.row->generation.find(name);
    const Component& component = registries_.inference.get(name);
    Node all =
        found == run.row->generation.end() ? Node::mapping({}) : found->second->component.options;
    for (const auto& [key, value] : options) {
      all = all.with({key, Node::scalar(std::to_string(value)), {}});
    }
    return add_inference_node(experiment_.graph, registries_, run.id + "-" + name,
                              component.configure(all),
                              {{"model", {run.trained}}, {"text", {text}}});
  }

  void add_latent_space(ExperimentRow& row, const ResolvedRow& run) {
    const LatentSpaceOptions& options = experiment_.recipe.options.latent_space;
    const std::string text = reconstructed_text(row);
    if (text.empty()) return;
    if (options.interpolations > 0) {
      row.interpolations = shown(run, "interpolations", text,
                                 {{"pairs", options.interpolations}, {"steps", options.steps}});
    }
    if (options.neighbors_of > 0) {
      row.neighbors = shown(run, "neighbors", text,
                            {{"sentences", options.neighbors_of}, {"count", options.neighbors}});
    }
  }

  const CheckedRecipe& checked_;
  const Registries& registries_;
  const ExperimentRequest& request_;
  size_t other_nodes_;  ///< in the graph before
  Experiment experiment_;
  std::map<std::string, DataNodes> data_sets_;     // by id
  std::map<std::string, ResolvedRow> first_runs_;  // of rows, for figures
  std::set<std::string> shown_;                    // rows and selects, find_shown()
  std::optional<Resolver> resolver_;
};

/// The rows that `--rows` names by their ids or by ids of table lines.
std::vector<std::string> requested_rows(const CheckedRecipe& recipe,
                                        const std::vector<std::string>& names) {
  std::vector<std::string> known = recipe.recipe.rows(), requested;
  const auto add_named = [&](const std::string& id) {
    const CheckedSelect* select = find_entry(recipe.selects, id);
    if (!select) return add_new(requested, id);
    for (const auto& candidate : select->among) add_new(requested, candidate.row);
  };
  const size_t rows = known.size();
  for (const CheckedTable& table : recipe.tables) {
    for (const TableLine& line : table.lines) add_new(known, line.id);
  }
  for (const auto& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      throw UsageError("--rows: the recipe has no row '" + name + "'; " + suggestion(name, known));
    }
    if (static_cast<size_t>(found - known.begin()) < rows) {
      add_new(requested, name);
      continue;
    }
    for (const CheckedTable& table : recipe.tables) {
      for (const TableLine& line : table.lines) {
        if (line.id != name) continue;
        for (const auto& [block, row] : line.rows) add_named(row);
      }
    }
  }
  if (requested.empty() && !names.empty()) {
    throw UsageError("--rows: the lines " + join(names) + " use no row");
  }
  return requested;
}

}  // namespace

Experiment build_experiment(const CheckedRecipe& recipe, const Registries& registries,
                            const ExperimentRequest& request) {
  const std::string& profile = recipe.recipe.profile;
  Graph graph(recipe.recipe.options.recipe, profile.empty() ? "default" : profile);
  return build_experiment(recipe, registries, request, std::move(graph));
}

Experiment build_experiment(const CheckedRecipe& recipe, const Registries& registries,
                            const ExperimentRequest& request, Graph graph) {
  ExperimentRequest requested = request;
  requested.rows = requested_rows(recipe, request.rows);
  return Builder(recipe, registries, requested, std::move(graph)).build();
}

}  // namespace lvtext
