// Figures and sheets of an experiment: the inputs of each panel.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/pipeline/plan/experiment.h"
#include "framework/pipeline/plan/resolver.h"

namespace lvtext {

/// Adds figures and sheets to an experiment whose rows are complete.
class PanelBuilder {
 public:
  /// `first_runs`: of rows, at their first seed. `is_asked`: some rows are requested by name. All
  /// references must outlive it.
  PanelBuilder(Experiment& experiment, Resolver& resolver, const CheckedRecipe& checked,
               const std::map<std::string, ResolvedRow>& first_runs, bool is_asked)
      : experiment_(experiment),
        resolver_(resolver),
        checked_(checked),
        first_runs_(first_runs),
        is_asked_(is_asked) {}

  /// Adds a figure: the inputs of its panels, a row's or its own.
  void add_figure(const CheckedFigure& checked);
  /// Adds a sheet: the texts of the rows and data that it rates, or why a row has none.
  void add_sheet(const CheckedSheet& checked);

 private:
  struct PanelOptions {
    std::string removed;          ///< why the row does not exist in this profile
    bool at_checkpoints = false;  ///< inputs at each kept checkpoint, if the row keeps any
    std::string choose;           ///< inputs at the checkpoint chosen by a select, likewise
  };

  /// Resolves the inputs of a figure or a sheet for a row at its first seed.
  ExperimentPanel panel(const std::string& owner, const std::vector<CheckedInput>& inputs,
                        const std::string& id, const PanelOptions& options);
  /// Replaces the texts of all kept checkpoints by those of the checkpoint that a select chooses.
  void read_at_selection(Resolved& resolved, const CheckedSelect& select, const ResolvedRow& run);
  /// Adds the rows that a sheet rates, without their texts, and its groups.
  void add_rated_rows(const CheckedSheet& checked, ExperimentSheet& sheet);
  /// Why a row has no text for a sheet. `is_asked`: missing text is generated for the sheet.
  std::string missing_text_reason(const CheckedSheet& sheet, const ExperimentRow& row,
                                  bool is_asked) const;

  Experiment& experiment_;
  Resolver& resolver_;
  const CheckedRecipe& checked_;
  const std::map<std::string, ResolvedRow>& first_runs_;
  bool is_asked_;
};

}  // namespace lvtext
