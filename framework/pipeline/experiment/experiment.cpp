#include "framework/pipeline/experiment/experiment.h"

#include <algorithm>
#include <limits>
#include <set>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/dump.h"
#include "framework/pipeline/experiment/resolver.h"
#include "framework/pipeline/experiment/usual_inputs.h"
#include "framework/pipeline/nodes/joined_rows.h"
#include "framework/pipeline/nodes/train_nodes.h"
#include "framework/pipeline/rating/add_sheet.h"
#include "framework/pipeline/rating/sheet.h"

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
    for (const CheckedFigure& figure : checked_.figures) add_figure(figure);
    for (const CheckedSheet& sheet : checked_.sheets) add_sheet(sheet);
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
    return *std::find_if(checked_.data.begin(), checked_.data.end(),
                         [&id](const CheckedData& data) { return data.id == id; });
  }

  const DataNodes& add_set(const CheckedData& data) {
    if (const auto made = data_sets_.find(data.id); made != data_sets_.end()) return made->second;
    if (!data.derived) {
      return data_sets_[data.id] =
                 add_data(experiment_.graph, data.id, data.block, request_.locations,
                          data.tokenizer.empty() ? "" : tokenizer(data.tokenizer));
    }
    std::vector<SplitOfData> from;
    for (const auto& [set, split] : data.from) from.push_back({add_set(set_named(set)), split});
    return data_sets_[data.id] = derive_data(experiment_.graph, data.id, from,
                                             data.derived->records, data.derived->pack);
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
    const auto found = std::find_if(checked_.tokenizers.begin(), checked_.tokenizers.end(),
                                    [&id](const CheckedTokenizer& each) { return each.id == id; });
    const KnownReference& data = found->data;
    const std::string source = data.id.empty() ? "" : source_of(set_named(data.id));
    return add_tokenizer(experiment_.graph, id, source, found->fit, request_.locations, data.part,
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
    const bool wanted =
        request_.rows.empty() ||
        std::find(request_.rows.begin(), request_.rows.end(), row.id) != request_.rows.end();
    if (!wanted) {
      row.reason = "not selected (--rows)";
    } else {
      const std::vector<ResolvedRow> runs = resolver_->runs_of(checked, row.reason);
      for (const ResolvedRow& run : runs) add_run(row, run);
    }
    experiment_.rows.push_back(std::move(row));
  }

  /// The text on which the weights of the models that score are selected.
  static std::map<std::string, std::string> selections_of(const CheckedMetric& metric) {
    std::map<std::string, std::string> selections;
    for (const CheckedInput& input : metric.inputs) {
      for (const auto& filling : input.fillings) {
        const auto* model = std::get_if<InlineModel>(&filling);
        const std::string text = model ? model->selected_on() : "";
        if (!text.empty()) selections[input.decl.name] = text;
      }
    }
    return selections;
  }

  void add_run(ExperimentRow& row, const ResolvedRow& run) {
    if (!run.trained.empty()) {
      row.trained[run.seed.value_or(0)] = run.trained;
      experiment_.graph.set_row(run.trained, row.id);
    }
    if (run.index == 0) first_runs_.emplace(row.id, run);
    add_texts(row, run);
    if (run.index == 0 && run.model) add_latent_space(row, run);
    add_scores(row, run);
  }

  /// Adds the texts of a row that a metric uses or the report can show.
  void add_texts(ExperimentRow& row, const ResolvedRow& resolved) {
    const CheckedRow& checked_row = *resolved.row;
    std::string reason;
    const bool at_checkpoints_only = keeps_checkpoints(checked_row) && !shown_.contains(row.id);
    if (resolver_->is_wanted("samples") && !at_checkpoints_only) {
      const std::string node = resolver_->text_of_row("samples", resolved, reason);
      if (!node.empty()) row.samples[resolved.seed] = node;
    }
    const std::string node = resolver_->text_of_row("reconstructions", resolved, reason);
    if (!node.empty()) row.reconstructions[resolved.seed] = node;
    if (resolved.index > 0) return;
    for (const auto& [name, component] : checked_row.generation) {
      if (!resolver_->is_wanted(name) || checked_row.fillers.contains(name)) continue;
      ResolvedRow generating = resolved;
      generating.at_checkpoints = at_checkpoints_only && component->at_checkpoints;
      const std::string text = resolver_->text_of_row(name, generating, reason);
      if (!text.empty()) row.generated[name] = text;
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
      if (cell.line || !cell.choices.empty()) continue;  // several scores in one node
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
      const std::string at = resolver_->score_at_checkpoints(metric, resolved);
      if (!at.empty()) row.at_checkpoints[metric.id][resolved.seed] = at;
      if (!at.empty() && !shown_.contains(row.id)) continue;
      ExperimentCell& cell = row.cells[metric.id];
      std::string reason;
      const std::string node = resolver_->score_of(metric, resolved, reason);
      if (node.empty()) {
        cell.reason = reason;
      } else {
        cell.scores[resolved.seed] = node;
      }
    }
    for (const CheckedSelect& select : checked_.selects) {
      if (!select.among_checkpoints) continue;
      const std::string choice = resolver_->checkpoint_choice(select, resolved);
      if (!choice.empty()) row.checkpoint_choices[select.id][resolved.seed] = choice;
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
        // A choice among fewer rows would be a different choice.
        if (!row && !request_.rows.empty()) metric.left_out[id] = "not selected (--rows)";
      }
    }
    metric.scores_each_row = checked.evaluator.component->scores_of == ScoresOf::kEachRow;
    const auto scores = resolver_->across(checked, metric.left_out);
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
    for (const auto& choice : resolver_->choices(checked)) {
      if (choice.node.empty()) {
        select.reason = choice.reason;
      } else {
        select.choices[choice.seed] = choice.node;
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

  void add_figure(const CheckedFigure& checked) {
    const std::string owner = "figure-" + checked.id;
    ExperimentFigure figure{.checked = checked, .alone = {.label = checked.id}};
    std::map<std::string, ExperimentPanel> made;  // a row may have several lines
    for (const FigureRowIds& group : checked.named.rows) {
      auto& panels = figure.rows.emplace_back();
      for (const auto& row : group.rows) {
        const auto [found, is_new] = made.try_emplace(row.id);
        if (is_new) {
          found->second = panel(owner, checked.inputs, row.id,
                                {.removed = row.reason,
                                 .at_checkpoints = checked.needs.at_checkpoints,
                                 .choose = checked.options.choose});
        }
        panels.push_back(found->second);
      }
    }
    if (checked.named.rows.empty()) {
      fill(figure.alone, resolver_->resolve(owner, checked.inputs, ResolvedRow{.id = owner}));
    }
    experiment_.figures.push_back(std::move(figure));
  }

  struct PanelOptions {
    std::string removed;          ///< why the row does not exist in this profile
    bool at_checkpoints = false;  ///< inputs at each kept checkpoint, if the row keeps any
    std::string choose;           ///< inputs at the checkpoint chosen by a select, likewise
  };

  /// Resolves the inputs of a figure or a sheet for a row at its first seed.
  ExperimentPanel panel(const std::string& owner, const std::vector<CheckedInput>& inputs,
                        const std::string& id, const PanelOptions& options) {
    const ExperimentRow* row = experiment_.row(id);
    if (!row) return {id, id, "not run: " + options.removed, {}};
    ExperimentPanel panel{id, row->label, row->reason, {}};
    const auto first = first_runs_.find(id);
    if (!panel.reason.empty() || first == first_runs_.end()) return panel;
    ResolvedRow run = first->second;
    const bool chooses = !options.choose.empty();
    run.at_checkpoints = (options.at_checkpoints || chooses) && keeps_checkpoints(*run.row);
    Resolved resolved = resolver_->resolve(owner, inputs, run);
    if (chooses && run.at_checkpoints) {
      read_at_choice(resolved, *find_entry(checked_.selects, options.choose), run);
    }
    fill(panel, std::move(resolved));
    return panel;
  }

  /// Replaces the texts of all kept checkpoints by those of the checkpoint that a select chooses.
  void read_at_choice(Resolved& resolved, const CheckedSelect& select, const ResolvedRow& run) {
    const std::string choice = resolver_->checkpoint_choice(select, run);
    if (choice.empty()) {
      resolved.reasons.push_back(run.id + " has no scores from which " + select.id + " can choose");
      return;
    }
    for (auto& [input, parts] : resolved.inputs) {
      for (NodePart& part : parts) {
        if (part.part != kAllCheckpoints) continue;
        part.part.clear();
        part.choice = choice;
      }
    }
  }

  void add_sheet(const CheckedSheet& checked) {
    ExperimentSheet sheet{checked.id, *checked.kind.sheet, checked.options, checked.kind.inputs,
                          checked.is_written};
    sheet.kind.name = checked.id;
    set_shown(checked.kind.inputs, sheet.kind);
    const std::string owner = "sheet-" + checked.id;
    add_rated_rows(checked, sheet);
    std::set<size_t> rated;
    for (const ExperimentSheetGroup& group : sheet.groups) {
      if (sheet.is_rated(group)) rated.insert(group.rows.begin(), group.rows.end());
    }
    for (size_t i = 0; i < sheet.rows.size(); ++i) {
      ExperimentPanel& rated_panel = sheet.rows[i].panel;
      if (!rated_panel.reason.empty()) continue;
      const bool is_asked = checked.is_written && (rated.contains(i) || !request_.rows.empty());
      rated_panel.reason = why_no_text(checked, *experiment_.row(rated_panel.row), is_asked);
      if (rated_panel.reason.empty()) {
        rated_panel = panel(owner, checked.inputs, rated_panel.row,
                            {.removed = "", .choose = checked.options.choose});
      }
    }
    for (const auto& [source, inputs] : checked.data) {
      ExperimentSheetRow split{{source, source, "", {}}, true, true};
      fill(split.panel, resolver_->resolve(owner, inputs, ResolvedRow{.id = owner}));
      sheet.groups.push_back({source, source, {sheet.rows.size()}});
      sheet.rows.push_back(std::move(split));
    }
    experiment_.sheets.push_back(std::move(sheet));
  }

  /// Adds the rows that a sheet rates, without their texts, and its groups.
  void add_rated_rows(const CheckedSheet& checked, ExperimentSheet& sheet) {
    std::map<std::string, size_t> indices;
    for (const ExperimentRow& row : experiment_.rows) {
      const auto is_row = [&row](const std::string& id) { return id == row.id; };
      const auto is_compared = [&](const auto& ids) {
        return std::any_of(ids.begin(), ids.end(), is_row);
      };
      const bool is_named =
          checked.compared.empty()
              ? checked.rows.empty() || is_compared(checked.rows)
              : std::any_of(checked.compared.begin(), checked.compared.end(), is_compared);
      if (!checked.has_rows || !is_named) continue;
      indices[row.id] = sheet.rows.size();
      ExperimentSheetRow rated;
      rated.panel = {row.id, row.label, row.reason, {}};
      rated.is_real = !row.checked.entry && !row.checked.fillers.empty();
      const auto first = first_runs_.find(row.id);
      if (first != first_runs_.end()) rated.seed = first->second.seed;
      sheet.rows.push_back(std::move(rated));
    }
    const auto add = [&sheet](const std::vector<size_t>& rows) {
      std::vector<std::string> ids, labels;
      for (const size_t row : rows) {
        ids.push_back(sheet.rows[row].panel.row);
        labels.push_back(sheet.rows[row].panel.label);
      }
      sheet.groups.push_back({group_id(ids), join(labels, " vs "), rows});
    };
    for (const auto& ids : checked.compared) {
      if (!indices.contains(ids[0]) || !indices.contains(ids[1])) continue;
      add({indices[ids[0]], indices[ids[1]]});
    }
    if (!checked.compared.empty()) return;
    for (size_t i = 0; i < sheet.rows.size(); ++i) {
      if (sheet.kind.compared == 1) add({i});
      for (size_t j = i + 1; sheet.kind.compared == 2 && j < sheet.rows.size(); ++j) add({i, j});
    }
  }

  /// Why a row has no text for a sheet. `is_asked`: missing text is generated for the sheet.
  std::string why_no_text(const CheckedSheet& sheet, const ExperimentRow& row,
                          bool is_asked) const {
    if (sheet.inputs.empty()) return "the recipe does not define the texts of the sheet";
    for (const CheckedInput& input : sheet.inputs) {
      for (const Filling& filling : input.fillings) {
        const auto* named = std::get_if<KnownReference>(&filling);
        if (!named || named->of != KnownReference::Of::kRow) continue;
        const bool is_given = row.checked.fillers.contains(named->part);
        if (!row.checked.entry && !is_given) return "the row has no " + named->part;
        const bool is_made = named->part == "reconstructions" || resolver_->is_wanted(named->part);
        if (!is_asked && !is_made) return "no metric of the recipe asks for " + named->part;
      }
    }
    return "";
  }

  static void fill(ExperimentPanel& panel, Resolved resolved) {
    panel.reason = join(resolved.reasons, "; ");
    if (panel.reason.empty()) panel.inputs = std::move(resolved.inputs);
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

}  // namespace

const ExperimentRow* Experiment::row(const std::string& id) const {
  return find_entry(rows, id);
}

ExperimentCell ExperimentRow::cell(const std::string& metric, const std::string& select) const {
  const auto at = at_checkpoints.find(metric);
  const auto choices = checkpoint_choices.find(select);
  if (at != at_checkpoints.end() && choices != checkpoint_choices.end()) {
    return {.scores = at->second, .reason = "", .choices = choices->second};
  }
  const auto found = cells.find(metric);
  return found == cells.end() ? ExperimentCell{} : found->second;
}

const ExperimentSelect* Experiment::select(const std::string& id) const {
  return find_entry(selects, id);
}

ExperimentCell Experiment::cell(const TableLine& line, const TableColumn& column) const {
  if (!column.reason.empty()) return {{}, column.reason};
  if (const auto gone = line.reasons.find(column.block); gone != line.reasons.end()) {
    return {{}, gone->second};
  }
  const std::string metric = metric_of(line, column);
  const std::string id = row_of(line, column);
  const ExperimentRow* named = row(id);
  for (const ExperimentMetric& each : metrics) {
    const bool is_of_rows = !each.of_rows.scores.empty() || !each.of_rows.reason.empty();
    if (each.id != metric || !is_of_rows) continue;
    ExperimentCell of_rows = each.of_rows;
    const auto position = std::find(each.across.begin(), each.across.end(), id);
    if (each.scores_each_row && position != each.across.end()) {
      of_rows.line = position - each.across.begin();
    } else if (each.scores_each_row && named) {
      return {{}, "not among the rows of " + metric};
    }
    return of_rows;
  }
  if (named) {
    return named->reason.empty() ? named->cell(metric, column.choose)
                                 : ExperimentCell{{}, named->reason};
  }
  if (!line.rows.empty()) return {};
  for (const auto& each : rows) {
    const auto found = each.cells.find(metric);
    if (found != each.cells.end() && !found->second.scores.empty()) return found->second;
  }
  return {};
}

std::vector<const ExperimentData*> Experiment::used_data() const {
  std::set<std::string> needed;
  for (const GraphNode* node : graph.needed_for(targets())) needed.insert(node->name);
  std::vector<const ExperimentData*> used;
  for (const ExperimentData& set : data) {
    if (needed.contains(set.nodes.source)) used.push_back(&set);
  }
  return used;
}

std::vector<std::string> Experiment::targets(bool training_only) const {
  std::vector<std::string> names;
  for (const auto& row : rows) {
    for (const auto& [seed, node] : row.trained) names.push_back(node);
    if (training_only) continue;
    for (const auto& [metric, cell] : row.cells) {
      for (const auto& [seed, node] : cell.scores) names.push_back(node);
    }
    for (const auto* nodes : {&row.at_checkpoints, &row.checkpoint_choices}) {
      for (const auto& [id, by_seed] : *nodes) {
        for (const auto& [seed, node] : by_seed) names.push_back(node);
      }
    }
    for (const auto& node : {row.interpolations, row.neighbors}) {
      if (!node.empty()) names.push_back(node);
    }
  }
  if (training_only) return names;
  for (const auto& metric : metrics) {
    for (const auto& [seed, node] : metric.of_rows.scores) names.push_back(node);
  }
  for (const auto& select : selects) {
    for (const auto& [seed, node] : select.choices) names.push_back(node);
  }
  for (const auto& figure : figures) {
    for (const ExperimentPanel* panel : figure.panels()) {
      const auto nodes = panel->nodes();
      names.insert(names.end(), nodes.begin(), nodes.end());
    }
  }
  for (const auto& sheet : sheets) {
    for (const auto& group : sheet.groups) {
      if (!sheet.is_written || !sheet.is_rated(group)) continue;
      for (const size_t row : group.rows) {
        const auto nodes = sheet.rows[row].panel.nodes();
        names.insert(names.end(), nodes.begin(), nodes.end());
      }
    }
  }
  return names;
}

std::vector<std::string> ExperimentPanel::nodes() const {
  std::vector<std::string> names;
  for (const auto& [input, fillings] : inputs) {
    for (const NodePart& filling : fillings) {
      const auto nodes = filling.nodes();
      names.insert(names.end(), nodes.begin(), nodes.end());
    }
  }
  return names;
}

std::vector<const ExperimentPanel*> ExperimentFigure::panels() const {
  std::vector<const ExperimentPanel*> all;
  for (const auto& group : rows) {
    for (const ExperimentPanel& panel : group) all.push_back(&panel);
  }
  if (rows.empty()) all.push_back(&alone);
  return all;
}

namespace {

/// The rows that `--rows` names by their ids or by ids of table lines.
std::vector<std::string> wanted_rows(const CheckedRecipe& recipe,
                                     const std::vector<std::string>& names) {
  std::vector<std::string> known = recipe.recipe.rows(), wanted;
  const auto add = [&wanted](const std::string& row) {
    if (std::find(wanted.begin(), wanted.end(), row) == wanted.end()) wanted.push_back(row);
  };
  const auto add_named = [&](const std::string& id) {
    const CheckedSelect* select = find_entry(recipe.selects, id);
    if (!select) return add(id);
    for (const auto& candidate : select->among) add(candidate.row);
  };
  const size_t rows = known.size();
  for (const CheckedTable& table : recipe.tables) {
    for (const TableLine& line : table.lines) {
      if (std::find(known.begin(), known.end(), line.id) == known.end()) known.push_back(line.id);
    }
  }
  for (const auto& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      throw UsageError("--rows: the recipe has no row '" + name + "'; " + suggestion(name, known));
    }
    if (static_cast<size_t>(found - known.begin()) < rows) {
      add(name);
      continue;
    }
    for (const CheckedTable& table : recipe.tables) {
      for (const TableLine& line : table.lines) {
        if (line.id != name) continue;
        for (const auto& [block, row] : line.rows) add_named(row);
      }
    }
  }
  if (wanted.empty() && !names.empty()) {
    throw UsageError("--rows: the lines " + join(names) + " use no row");
  }
  return wanted;
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
  ExperimentRequest wanted = request;
  wanted.rows = wanted_rows(recipe, request.rows);
  return Builder(recipe, registries, wanted, std::move(graph)).build();
}

}  // namespace lvtext
