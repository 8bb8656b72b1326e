#include "framework/experiment/rating.h"

#include <algorithm>

#include "evaluators/rating/rating_table.h"
#include "framework/base/strings.h"
#include "framework/nodes/data_nodes.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

bool is_real(const Experiment& experiment, const std::string& row) {
  return std::any_of(experiment.rows.begin(), experiment.rows.end(), [&](const auto& each) {
    return each.id == row && !each.checked.entry && !each.checked.fillers.empty();
  });
}

/// The node whose text is rated, by seed; empty if the recipe makes none.
const SeedNodes& nodes_of(const SheetKind& kind, const ExperimentRow& row) {
  return kind.text == RatedText::kSamples ? row.samples : row.reconstructions;
}

const RatingOptions& ratings_of(const Experiment& experiment, const std::string& kind) {
  static const RatingOptions none;
  const auto& ratings = experiment.recipe.options.ratings;
  const auto found = ratings.find(kind);
  return found == ratings.end() ? none : found->second;
}

/// Why a row has no text of this kind; empty if it has.
std::string why_left_out(const SheetKind& kind, const Experiment& experiment,
                         const ExperimentRow& row, bool rows_named) {
  if (!row.reason.empty()) return row.reason;
  const auto& paper = ratings_of(experiment, kind.name).paper;
  if (!rows_named && !paper.empty() && !paper.contains(row.id)) {
    return "the paper's people rated no such row (--rows names it)";
  }
  if (!nodes_of(kind, row).empty()) return "";
  if (kind.text == RatedText::kReconstructions) {
    return is_real(experiment, row.id) ? "the row has no reconstructions"
                                       : "the model does not reconstruct";
  }
  return "no metric of the recipe asks for samples";
}

std::vector<RatedSentence> sentences_of(const SheetKind& kind,
                                        const std::vector<std::string>& lines,
                                        const std::vector<std::string>& test,
                                        const SheetRequest& request) {
  std::vector<RatedSentence> sentences;
  const auto n = static_cast<int64_t>(lines.size());
  for (const int64_t index : chosen_indices(n, request.sentences, request.seed)) {
    RatedSentence sentence{index, {lines[index]}};
    if (kind.text == RatedText::kReconstructions) {
      sentence.texts.insert(sentence.texts.begin(), test.at(index));
    }
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

/// Why a row's imported ratings cannot stand in the report; empty if they can.
std::string why_not_shown(const SheetKind& kind, const Experiment& experiment,
                          const ExperimentRow& row, const std::optional<RatingSummary>& summary) {
  if (!summary) return "";
  std::string left_out = why_left_out(kind, experiment, row, /*rows_named=*/true);
  if (!left_out.empty()) return left_out;
  const auto rated = std::find_if(summary->rows.begin(), summary->rows.end(),
                                  [&](const RatedRow& each) { return each.id == row.id; });
  if (rated == summary->rows.end()) return "not in the sheet";
  const auto& node = nodes_of(kind, row).begin()->second;
  if (experiment.graph.at(node).identity == rated->identity) return "";
  return "the ratings are of another run's text (" + rated->identity.substr(0, 8) +
         "): export and rate it again";
}

/// Real data are rated once, in one sheet; the tables of the others show those ratings too (as
/// Table 2 of Cifka et al. 2018 does). True if there are any.
bool borrow_ratings(const SheetKind& kind, const Experiment& experiment, const ExperimentRow& row,
                    const fs::path& report, RatingSummary& summary) {
  bool borrowed = false;
  for (const auto& name : sheet_kinds().names()) {
    const fs::path file = rating_folder(report, name) / "ratings.json";
    if (name == kind.name || !fs::exists(file)) continue;
    const std::optional<RatingSummary> other = read_rating_summary(file);
    if (!why_not_shown(sheet_kinds().get(name), experiment, row, other).empty()) continue;
    const auto scores = other->scores.find(row.id);
    if (scores == other->scores.end()) continue;
    for (const Aspect& aspect : kind.aspects) {
      const auto rating = scores->second.find(aspect.id);
      if (rating == scores->second.end()) continue;
      summary.scores[row.id].insert(*rating);
      borrowed = true;
    }
  }
  return borrowed;
}

}  // namespace

fs::path rating_folder(const fs::path& report, const std::string& kind) {
  return report / "ratings" / kind;
}

SheetTexts sheet_texts(const SheetKind& kind, const Experiment& experiment,
                       const GraphStatus& status, const SheetRequest& request) {
  SheetTexts texts;
  texts.key.kind = kind.name;
  texts.key.recipe = experiment.recipe.options.recipe;
  texts.key.profile = experiment.recipe.profile;
  texts.key.seed = request.seed;
  const NodeStatus& data = status.at(experiment.data.source);
  std::vector<std::string> test;
  if (data.state == NodeState::kFinished) test = read_split(data.folder, "test");
  for (const ExperimentRow& row : experiment.rows) {
    const std::string reason = why_left_out(kind, experiment, row, request.rows_named);
    if (!reason.empty()) {
      texts.left_out.push_back({row.id, reason});
      continue;
    }
    const auto& [seed, node] = *nodes_of(kind, row).begin();
    const NodeStatus& entry = status.at(node);
    if (entry.state != NodeState::kFinished || data.state != NodeState::kFinished) {
      texts.unfinished.push_back({row.id, node});
      continue;
    }
    texts.key.rows.push_back(
        {row.id, row.label, is_real(experiment, row.id), experiment.graph.at(node).identity, seed});
    texts.sentences.push_back(sentences_of(kind, read_text(entry.folder), test, request));
  }
  return texts;
}

std::optional<SideTable> rating_side_table(const SheetKind& kind, const Experiment& experiment,
                                           const fs::path& report) {
  const RatingOptions& options = ratings_of(experiment, kind.name);
  const fs::path file = rating_folder(report, kind.name) / "ratings.json";
  std::optional<RatingSummary> summary;
  if (fs::exists(file)) summary = read_rating_summary(file);
  if (!summary && options.paper.empty()) return std::nullopt;
  std::vector<RatingRow> rows;
  for (const ExperimentRow& row : experiment.rows) {
    const bool rated = summary && std::any_of(summary->rows.begin(), summary->rows.end(),
                                              [&](const auto& each) { return each.id == row.id; });
    if (!rated && !options.paper.contains(row.id)) continue;
    const bool real = is_real(experiment, row.id);
    const bool borrowed =
        summary && real && !rated && borrow_ratings(kind, experiment, row, report, *summary);
    rows.push_back(
        {row.id, row.label, real, borrowed ? "" : why_not_shown(kind, experiment, row, summary)});
  }
  const std::string& profile = experiment.recipe.profile;
  const std::string recipe = " " + kind.name + " " + experiment.recipe.options.recipe +
                             (profile.empty() ? "" : " --profile " + profile);
  return SideTable{(options.item.empty() ? "" : options.item + ": ") + kind.name,
                   summary ? rating_note(*summary)
                           : "Not rated. The sheets: lvtext rate export" + recipe +
                                 "; the answers: lvtext rate import" + recipe + " --answers FILE",
                   rating_table(kind, summary, std::move(rows), options.paper)};
}

std::vector<SideTable> rating_tables(const Experiment& experiment, const fs::path& report) {
  std::vector<SideTable> tables;
  for (const auto& name : sheet_kinds().names()) {
    auto table = rating_side_table(sheet_kinds().get(name), experiment, report);
    if (table) tables.push_back(std::move(*table));
  }
  return tables;
}

}  // namespace lvtext
