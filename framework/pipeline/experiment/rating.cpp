#include "framework/pipeline/experiment/rating.h"

#include <algorithm>

#include "framework/core/base/strings.h"
#include "framework/pipeline/nodes/component_nodes.h"
#include "framework/pipeline/nodes/input_reader.h"
#include "framework/pipeline/rating/rating_table.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

/// Why a row has no text on this sheet; empty if it has one.
std::string why_left_out(const ExperimentSheet& sheet, const ExperimentSheetRow& row,
                         bool rows_named) {
  const bool is_rated = rows_named || sheet.is_rated(row);
  const bool is_there = row.panel.reason.empty() || row.of_data;
  if (is_there && !is_rated) return "not rated in the paper (selected by --rows)";
  return row.panel.reason;
}

/// The node whose text is rated.
const std::string& rated_node(const ExperimentSheet& sheet, const ExperimentSheetRow& row) {
  return row.panel.inputs.at(sheet.kind.shown.back()).front().typical();
}

/// An unfinished node, the rated one first; empty if all are finished.
std::string unfinished_node(const ExperimentSheet& sheet, const ExperimentSheetRow& row,
                            const GraphStatus& status) {
  std::vector<std::string> nodes = row.panel.nodes();
  nodes.insert(nodes.begin(), rated_node(sheet, row));
  for (const auto& node : nodes) {
    if (status.at(node).state != NodeState::kFinished) return node;
  }
  return "";
}

std::vector<RatedSentence> sentences_of(const ExperimentSheet& sheet, const Inputs& inputs,
                                        const std::string& row, const SheetRequest& request) {
  const auto n = static_cast<int64_t>(inputs.text(sheet.kind.shown.back()).size());
  std::vector<RatedSentence> sentences;
  for (const int64_t index :
       chosen_indices(n, request.each.value_or(sheet.options.each), request.seed)) {
    RatedSentence sentence{index, {}};
    for (const auto& name : sheet.kind.shown) {
      const auto lines = inputs.text(name).lines();
      if (index >= static_cast<int64_t>(lines.size())) {
        throw DataError(row + ": " + sheet.kind.shown.back() + " has " + format_count(n) +
                        " sentences and " + name + " " +
                        format_count(static_cast<int64_t>(lines.size())) +
                        "; raters would see unrelated texts side by side");
      }
      sentence.texts.push_back(lines[index]);
    }
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

/// Why a row's imported ratings cannot be shown in the report; empty if they can.
std::string why_not_shown(const ExperimentSheet& sheet, const Experiment& experiment,
                          const ExperimentSheetRow& row,
                          const std::optional<RatingSummary>& summary) {
  if (!summary) return "";
  std::string left_out = why_left_out(sheet, row, /*rows_named=*/true);
  if (!left_out.empty()) return left_out;
  const auto rated = std::find_if(summary->rows.begin(), summary->rows.end(),
                                  [&](const auto& each) { return each.id == row.panel.row; });
  if (rated == summary->rows.end()) return "not in the sheet";
  if (experiment.graph.at(rated_node(sheet, row)).identity == rated->identity) return "";
  return "the ratings are for the text of another run (" + rated->identity.substr(0, 8) +
         "): export and rate it again";
}

const ExperimentSheetRow* find_row(const ExperimentSheet& sheet, const std::string& id) {
  for (const ExperimentSheetRow& row : sheet.rows) {
    if (row.panel.row == id) return &row;
  }
  return nullptr;
}

/// Real data are rated once, in one sheet; the tables of other sheets show the same ratings (as
/// does Table 2 of Cifka et al. 2018). Returns whether there are any.
bool borrow_ratings(const ExperimentSheet& sheet, const Experiment& experiment,
                    const std::string& row, const fs::path& report, RatingSummary& summary) {
  bool borrowed = false;
  for (const ExperimentSheet& each : experiment.sheets) {
    const fs::path file = rating_folder(report, each.id) / "ratings.json";
    const ExperimentSheetRow* same = find_row(each, row);
    if (each.id == sheet.id || !same || !fs::exists(file)) continue;
    const std::optional<RatingSummary> other = read_rating_summary(file);
    if (!why_not_shown(each, experiment, *same, other).empty()) continue;
    const auto scores = other->scores.find(row);
    if (scores == other->scores.end()) continue;
    for (const Aspect& aspect : sheet.kind.aspects) {
      const auto rating = scores->second.find(aspect.id);
      if (rating == scores->second.end()) continue;
      summary.scores[row].insert(*rating);
      borrowed = true;
    }
  }
  return borrowed;
}

}  // namespace

fs::path rating_folder(const fs::path& report, const std::string& sheet) {
  return report / "ratings" / file_name_of(sheet);
}

SheetTexts sheet_texts(const ExperimentSheet& sheet, const Experiment& experiment,
                       const GraphStatus& status, const Registries& registries,
                       const SheetRequest& request) {
  SheetTexts texts;
  texts.key.kind = sheet.kind.name;
  texts.key.recipe = experiment.recipe.options.recipe;
  texts.key.profile = experiment.recipe.profile;
  texts.key.seed = request.seed;
  for (const ExperimentSheetRow& row : sheet.rows) {
    const std::string& id = row.panel.row;
    const std::string reason = why_left_out(sheet, row, request.rows_named);
    if (!reason.empty()) {
      texts.left_out.push_back({id, reason});
      continue;
    }
    const std::string unfinished = unfinished_node(sheet, row, status);
    if (!unfinished.empty()) {
      texts.unfinished.push_back({id, unfinished});
      continue;
    }
    texts.key.rows.push_back({id, row.panel.label, row.is_real,
                              experiment.graph.at(rated_node(sheet, row)).identity, row.seed});
    const Inputs inputs =
        read_filled(experiment.graph, status, registries, sheet.inputs, row.panel.inputs);
    texts.sentences.push_back(sentences_of(sheet, inputs, id, request));
  }
  return texts;
}

std::optional<SideTable> rating_side_table(const ExperimentSheet& sheet,
                                           const Experiment& experiment, const fs::path& report) {
  const SheetOptions& options = sheet.options;
  const fs::path file = rating_folder(report, sheet.id) / "ratings.json";
  std::optional<RatingSummary> summary;
  if (fs::exists(file)) summary = read_rating_summary(file);
  if (!summary && options.paper.empty()) return std::nullopt;
  std::vector<RatingRow> rows;
  for (const ExperimentSheetRow& row : sheet.rows) {
    const std::string& id = row.panel.row;
    const bool rated = summary && std::any_of(summary->rows.begin(), summary->rows.end(),
                                              [&](const auto& each) { return each.id == id; });
    if (!rated && !options.paper.contains(id)) continue;
    const bool borrowed =
        summary && row.is_real && !rated && borrow_ratings(sheet, experiment, id, report, *summary);
    rows.push_back({id, row.panel.label, row.is_real,
                    borrowed ? "" : why_not_shown(sheet, experiment, row, summary)});
  }
  const std::string& profile = experiment.recipe.profile;
  const std::string recipe = " " + sheet.id + " " + experiment.recipe.options.recipe +
                             (profile.empty() ? "" : " --profile " + profile);
  return SideTable{(options.item.empty() ? "" : options.item + ": ") + sheet.id,
                   summary ? rating_note(*summary)
                           : "Not rated. To write the sheets: lvtext rate export" + recipe +
                                 "; to import the answers: lvtext rate import" + recipe +
                                 " --answers FILE",
                   rating_table(sheet.kind, summary, std::move(rows), options.paper)};
}

std::vector<SideTable> rating_tables(const Experiment& experiment, const fs::path& report) {
  std::vector<SideTable> tables;
  for (const ExperimentSheet& sheet : experiment.sheets) {
    auto table = rating_side_table(sheet, experiment, report);
    if (table) tables.push_back(std::move(*table));
  }
  return tables;
}

}  // namespace lvtext
