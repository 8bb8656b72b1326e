#include "framework/pipeline/plan/panels.h"

#include <algorithm>
#include <set>

#include "framework/core/base/strings.h"
#include "framework/pipeline/rating/add_sheet.h"
#include "framework/pipeline/rating/sheet.h"

namespace lvtext {
namespace {

void fill(ExperimentPanel& panel, Resolved resolved) {
  panel.reason = join(resolved.reasons, "; ");
  if (panel.reason.empty()) panel.inputs = std::move(resolved.inputs);
}

}  // namespace

void PanelBuilder::add_figure(const CheckedFigure& checked) {
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
    fill(figure.alone, resolver_.resolve(owner, checked.inputs, ResolvedRow{.id = owner}));
  }
  experiment_.figures.push_back(std::move(figure));
}

void PanelBuilder::add_sheet(const CheckedSheet& checked) {
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
    const bool is_asked = checked.is_written && (rated.contains(i) || is_asked_);
    rated_panel.reason = missing_text_reason(checked, *experiment_.row(rated_panel.row), is_asked);
    if (rated_panel.reason.empty()) {
      rated_panel = panel(owner, checked.inputs, rated_panel.row,
                          {.removed = "", .choose = checked.options.choose});
    }
  }
  for (const auto& [source, inputs] : checked.data) {
    ExperimentSheetRow split{{source, source, "", {}}, true, true};
    fill(split.panel, resolver_.resolve(owner, inputs, ResolvedRow{.id = owner}));
    sheet.groups.push_back({source, source, {sheet.rows.size()}});
    sheet.rows.push_back(std::move(split));
  }
  experiment_.sheets.push_back(std::move(sheet));
}

ExperimentPanel PanelBuilder::panel(const std::string& owner,
                                    const std::vector<CheckedInput>& inputs, const std::string& id,
                                    const PanelOptions& options) {
  const ExperimentRow* row = experiment_.row(id);
  if (!row) return {id, id, "not run: " + options.removed, {}};
  ExperimentPanel panel{id, row->label, row->reason, {}};
  const auto first = first_runs_.find(id);
  if (!panel.reason.empty() || first == first_runs_.end()) return panel;
  ResolvedRow run = first->second;
  const bool chooses = !options.choose.empty();
  run.at_checkpoints = (options.at_checkpoints || chooses) && keeps_checkpoints(*run.row);
  Resolved resolved = resolver_.resolve(owner, inputs, run);
  if (chooses && run.at_checkpoints) {
    read_at_selection(resolved, *find_entry(checked_.selects, options.choose), run);
  }
  fill(panel, std::move(resolved));
  return panel;
}

void PanelBuilder::read_at_selection(Resolved& resolved, const CheckedSelect& select,
                                     const ResolvedRow& run) {
  const std::string selection = resolver_.selects().checkpoint_selection(select, run);
  if (selection.empty()) {
    resolved.reasons.push_back(run.id + " has no scores from which " + select.id + " can choose");
    return;
  }
  for (auto& [input, parts] : resolved.inputs) {
    for (NodePart& part : parts) {
      if (part.part != kAllCheckpoints) continue;
      part.part.clear();
      part.selection = selection;
    }
  }
}

void PanelBuilder::add_rated_rows(const CheckedSheet& checked, ExperimentSheet& sheet) {
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

std::string PanelBuilder::missing_text_reason(const CheckedSheet& sheet, const ExperimentRow& row,
                                              bool is_asked) const {
  if (sheet.inputs.empty()) return "the recipe does not define the texts of the sheet";
  for (const CheckedInput& input : sheet.inputs) {
    for (const Filling& filling : input.fillings) {
      const auto* named = std::get_if<KnownReference>(&filling);
      if (!named || named->of != KnownReference::Of::kRow) continue;
      const bool is_given = row.checked.fillers.contains(named->part);
      if (!row.checked.entry && !is_given) return "the row has no " + named->part;
      const bool is_made =
          named->part == "reconstructions" || resolver_.references().is_requested(named->part);
      if (!is_asked && !is_made) return "no metric of the recipe asks for " + named->part;
    }
  }
  return "";
}

}  // namespace lvtext
