#include "framework/pipeline/results/rating.h"

#include <algorithm>
#include <map>
#include <set>

#include "framework/core/base/counts.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/strings.h"
#include "framework/core/text/text_rows.h"
#include "framework/pipeline/nodes/component_nodes.h"
#include "framework/pipeline/nodes/input_reader.h"
#include "framework/pipeline/rating/rating_table.h"
#include "framework/pipeline/results/figure_pictures.h"
#include "framework/pipeline/results/filled_table.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

/// Why a group has no texts on this sheet; empty if it has.
std::string left_out_reason(const ExperimentSheet& sheet, const ExperimentSheetGroup& group,
                            bool rows_named) {
  std::string reason;
  bool is_there = true;
  for (const size_t each : group.rows) {
    const ExperimentSheetRow& row = sheet.rows[each];
    if (reason.empty()) reason = row.panel.reason;
    is_there = is_there && (row.panel.reason.empty() || row.of_data);
  }
  const bool is_rated = rows_named || sheet.is_rated(group);
  if (is_there && !is_rated) return "not rated in the paper (selected by --rows)";
  return reason;
}

/// The node whose text is rated.
const std::string& rated_node(const ExperimentSheet& sheet, const ExperimentSheetRow& row) {
  return row.panel.inputs.at(sheet.kind.shown.back()).front().representative();
}

/// Identity of the text that is rated: of its node and, if a select determines the checkpoint or
/// the row, of the selection.
std::string rated_identity(const ExperimentSheet& sheet, const ExperimentSheetRow& row,
                           const Graph& graph) {
  const std::string& identity = graph.at(rated_node(sheet, row)).identity;
  const std::string& selection = row.panel.inputs.at(sheet.kind.shown.back()).front().selection;
  return selection.empty() ? identity : sha256(identity + graph.at(selection).identity);
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

/// The lines of a column of a sheet: texts (of several texts of a row the first one, or all on
/// lines of their own, see SheetKind), or the file names of pictures, which are added to
/// `pictures`.
std::vector<std::string> lines_of_column(const SheetKind& kind, const Inputs& inputs,
                                         const std::string& name,
                                         std::map<std::string, Picture>& pictures) {
  std::vector<std::string> lines;
  if (kind.has_pictures(name)) {
    const Dataset images = inputs.dataset(name);
    for (Picture& picture : pictures_of(images, images.size())) {
      lines.push_back(picture_name(picture));
      pictures.emplace(lines.back(), std::move(picture));
    }
    return lines;
  }
  const std::vector<int64_t>& rows = inputs.rows(name);
  // Several texts of an image are captions of it, of which one is shown.
  if (kind.pictures.empty()) return row_texts(inputs.text(name), rows);
  const auto all = inputs.text(name).lines();
  if (rows.empty()) return {all.begin(), all.end()};
  for (size_t row = 0; row + 1 < rows.size(); ++row) {
    lines.push_back(rows[row] < rows[row + 1] ? all[rows[row]] : "");
  }
  return lines;
}

/// The lines of the texts and pictures that a sheet shows of a row, by SheetKind::shown.
std::vector<std::vector<std::string>> lines_of(const ExperimentSheet& sheet, const Inputs& inputs,
                                               const std::string& row,
                                               std::map<std::string, Picture>& pictures) {
  const std::string& rated = sheet.kind.shown.back();
  std::vector<std::vector<std::string>> texts;
  for (const auto& name : sheet.kind.shown) {
    texts.push_back(lines_of_column(sheet.kind, inputs, name, pictures));
  }
  const size_t n = texts.back().size();
  for (size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].size() < n) {
      throw DataError(row + ": " + rated + " has " +
                      format_count(static_cast<int64_t>(n), "sentence") + " and " +
                      sheet.kind.shown[i] + " " +
                      format_count(static_cast<int64_t>(texts[i].size())) +
                      "; raters would see unrelated texts side by side");
    }
    texts[i].resize(n);
  }
  return texts;
}

/// Chooses the sentences of a group; `rows` has the lines of each of its rows.
std::vector<RatedSentence> sentences_of(
    const ExperimentSheet& sheet, const std::string& group,
    const std::vector<const std::vector<std::vector<std::string>>*>& rows,
    const SheetRequest& request) {
  const auto& first = *rows.front();
  for (const auto* other : rows) {
    for (size_t text = 0; text + 1 < first.size(); ++text) {
      if ((*other)[text] == first[text]) continue;
      throw DataError(group + ": the rows have different texts in the column " +
                      sheet.kind.shown[text] + " and cannot be compared");
    }
    if (other->back().size() == first.back().size()) continue;
    throw DataError(group + ": one row has " +
                    format_count(static_cast<int64_t>(first.back().size()), "sentence") +
                    " and the other " + format_count(static_cast<int64_t>(other->back().size())));
  }
  const auto n = static_cast<int64_t>(first.back().size());
  const int64_t each = sentences_each(sheet, request);
  std::vector<RatedSentence> sentences;
  for (const int64_t index : chosen_indices(n, n, request.seed)) {
    if (static_cast<int64_t>(sentences.size()) == each) break;
    const auto line = static_cast<size_t>(index);
    const bool is_equal = rows.size() > 1 && rows[0]->back()[line] == rows[1]->back()[line];
    if (sheet.kind.skips_equal && is_equal) continue;
    RatedSentence sentence{index, {}};
    for (size_t text = 0; text + 1 < first.size(); ++text) {
      sentence.texts.push_back(first[text][line]);
    }
    for (const auto* row : rows) sentence.texts.push_back(row->back()[line]);
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

/// Why the imported ratings of a group cannot be shown in the report; empty if they can.
std::string hidden_reason(const ExperimentSheet& sheet, const Experiment& experiment,
                          const ExperimentSheetGroup& group,
                          const std::optional<RatingSummary>& summary) {
  if (!summary) return "";
  std::string left_out = left_out_reason(sheet, group, /*rows_named=*/true);
  if (!left_out.empty()) return left_out;
  for (const size_t each : group.rows) {
    const ExperimentSheetRow& row = sheet.rows[each];
    const RatedRow* rated = find_entry(summary->rows, row.panel.row);
    if (!rated) return "not in the sheet";
    if (rated_identity(sheet, row, experiment.graph) == rated->identity) continue;
    return "the ratings are for the text of another run (" + rated->identity.substr(0, 8) +
           "): export and rate it again";
  }
  return "";
}

/// Whether a group of the sheet with this summary was rated, or could have been.
bool is_in(const RatingSummary& summary, const ExperimentSheet& sheet,
           const ExperimentSheetGroup& group) {
  return std::all_of(group.rows.begin(), group.rows.end(), [&](size_t row) {
    return find_entry(summary.rows, sheet.rows[row].panel.row) != nullptr;
  });
}

/// Real data are rated once, in one sheet; the tables of other sheets show the same ratings.
/// Returns whether there are any.
bool borrow_ratings(const ExperimentSheet& sheet, const Experiment& experiment,
                    const std::string& row, const fs::path& report, RatingSummary& summary) {
  bool borrowed = false;
  for (const ExperimentSheet& each : experiment.sheets) {
    const fs::path file = rating_folder(report, each.id) / "ratings.json";
    const ExperimentSheetGroup* same = find_entry(each.groups, row);
    if (each.id == sheet.id || !same || !fs::exists(file)) continue;
    const std::optional<RatingSummary> other = read_rating_summary(file);
    if (!hidden_reason(each, experiment, *same, other).empty()) continue;
    const auto scores = other->scores.find(row);
    if (scores == other->scores.end()) continue;
    for (const Aspect& aspect : sheet.kind.aspects) {
      const auto& asked = each.kind.aspects;
      const auto rating = scores->second.find(aspect.id);
      const bool is_asked = contains(asked, aspect);
      if (!is_asked || rating == scores->second.end()) continue;
      summary.scores[row].insert(*rating);
      borrowed = true;
    }
  }
  return borrowed;
}

}  // namespace

int64_t sentences_each(const ExperimentSheet& sheet, const SheetRequest& request) {
  return request.each.value_or(sheet.options.each.value_or(sheet.kind.each));
}

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
  std::map<size_t, size_t> key_rows;  // index in the sheet -> index in the key
  std::map<size_t, std::vector<std::vector<std::string>>> lines;
  std::set<size_t> unfinished;
  std::map<size_t, std::string> skipped;  // rows for which a select chose no checkpoint
  for (const ExperimentSheetGroup& group : sheet.groups) {
    const std::string reason = left_out_reason(sheet, group, request.rows_named);
    if (!reason.empty()) {
      texts.left_out.push_back({group.id, reason});
      continue;
    }
    RatedGroup rated{group.id, group.label, {}};
    std::vector<const std::vector<std::vector<std::string>>*> of_rows;
    for (const size_t each : group.rows) {
      const ExperimentSheetRow& row = sheet.rows[each];
      const std::string& id = row.panel.row;
      const std::string node = unfinished_node(sheet, row, status);
      if (!node.empty()) {
        if (unfinished.insert(each).second) texts.unfinished.push_back({id, node});
        continue;
      }
      if (!key_rows.contains(each) && !skipped.contains(each)) {
        try {
          lines[each] = lines_of(
              sheet,
              read_filled(experiment.graph, status, registries, sheet.inputs, row.panel.inputs), id,
              texts.pictures);
        } catch (const NodeSkipped& none) {
          skipped[each] = none.what();
        }
      }
      if (skipped.contains(each)) {
        texts.left_out.push_back({group.id, id + ": " + skipped[each]});
        break;
      }
      if (!key_rows.contains(each)) {
        key_rows[each] = texts.key.rows.size();
        texts.key.rows.push_back({id, row.panel.label, row.is_real,
                                  rated_identity(sheet, row, experiment.graph), row.seed});
      }
      rated.rows.push_back(key_rows[each]);
      of_rows.push_back(&lines[each]);
    }
    if (of_rows.size() < group.rows.size()) continue;
    texts.sentences.push_back(sentences_of(sheet, group.id, of_rows, request));
    texts.key.groups.push_back(std::move(rated));
  }
  return texts;
}

std::vector<SideTable> sheet_tables(const ExperimentSheet& sheet, const Experiment& experiment,
                                    const fs::path& report) {
  const SheetOptions& options = sheet.options;
  const fs::path file = rating_folder(report, sheet.id) / "ratings.json";
  std::optional<RatingSummary> summary;
  if (fs::exists(file)) summary = read_rating_summary(file);
  if (!summary && options.paper.empty()) return {};
  std::vector<RatingRow> rows;
  for (const ExperimentSheetGroup& group : sheet.groups) {
    const bool rated = summary && is_in(*summary, sheet, group);
    if (!rated && !options.paper.contains(group.id)) continue;
    const bool is_real = std::all_of(group.rows.begin(), group.rows.end(),
                                     [&](size_t row) { return sheet.rows[row].is_real; });
    const bool borrowed = summary && is_real && !rated &&
                          borrow_ratings(sheet, experiment, group.id, report, *summary);
    rows.push_back({group.id, group.label, is_real,
                    borrowed ? "" : hidden_reason(sheet, experiment, group, summary)});
  }
  const std::string& profile = experiment.recipe.profile;
  const std::string recipe = " " + sheet.id + " " + experiment.recipe.options.recipe +
                             (profile.empty() ? "" : " --profile " + profile);
  Table differences;
  if (summary) differences = difference_table(sheet.kind, *summary, rows);
  Table table = rating_table(sheet.kind, summary, std::move(rows), options.paper);
  for (const char* section : {"sheets", "ratings"}) {
    const Node* sheets = experiment.recipe.tree.find(section);
    keep_paper_text(sheets ? sheets->find(sheet.id) : nullptr, table);
  }
  const std::string title = (options.item.empty() ? "" : options.item + ": ") + sheet.id;
  std::vector<SideTable> tables;
  tables.push_back({title,
                    summary ? rating_note(sheet.kind, *summary)
                            : "Not rated. To write the sheets: lvtext rate export" + recipe +
                                  "; to import the answers: lvtext rate import" + recipe +
                                  " --answers FILE",
                    std::move(table)});
  if (!differences.rows.empty()) {
    tables.push_back({title + ", differences between rows",
                      "The first row less the second, over the sentences that both have. p is not "
                      "corrected for the number of comparisons.",
                      std::move(differences)});
  }
  return tables;
}

std::vector<SideTable> rating_tables(const Experiment& experiment, const fs::path& report) {
  std::vector<SideTable> tables;
  for (const ExperimentSheet& sheet : experiment.sheets) {
    for (SideTable& each : sheet_tables(sheet, experiment, report)) {
      tables.push_back(std::move(each));
    }
  }
  return tables;
}

}  // namespace lvtext
