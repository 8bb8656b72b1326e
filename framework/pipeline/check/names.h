// Rows, selects and metrics of a recipe, looked up by the entries that name them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "framework/core/model/registries.h"
#include "framework/core/options/errors.h"
#include "framework/pipeline/recipe/recipe.h"

namespace lvtext {

/// Value of `among` and `across` that refers to the kept checkpoints of each row.
inline constexpr const char* kKeptCheckpoints = "checkpoints";

/// What the readers of a recipe's sections share.
struct CheckContext {
  const Recipe& recipe;
  const Registries& registries;
  Errors& errors;
};

/// The component of a name, which has this location. If there is none, adds an error and returns
/// null.
const Component* find_component(const Registry<Component>& registry, const std::string& name,
                                const SourceLocation& location, Errors& errors);

/// The entries that a valid reference names, in recipe order.
struct Found {
  Reference reference;
  std::vector<std::string> ids;
  std::vector<std::string> removed = {};  ///< reasons of those that do not exist
};

/// The ids of a recipe's rows, selects and metrics. The look-ups add an error, whose message begins
/// with `path`, and return nothing if a reference is invalid.
class Names {
 public:
  /// All that `context` refers to must outlive it.
  explicit Names(const CheckContext& context);

  /// The rows that a reference or pattern names; with `with_selects` also a select among rows,
  /// which means the row that it chooses.
  std::optional<Found> rows(const Node& written, const std::string& path,
                            bool with_selects = false) const;
  /// The same for each item of a list; the valid items.
  std::vector<Found> each_rows(const Node& list, const std::string& path,
                               bool with_selects = false) const;
  /// The metrics that a reference or pattern names, whose part is a score. An unknown score is an
  /// error, too; the metrics are returned.
  std::optional<Found> metrics(const Node& written, const std::string& path) const;
  /// The same for a reference that must name one metric that is run.
  std::optional<Found> one_metric(const Node& written, const std::string& path) const;
  /// Adds an error and returns false if a metric has no score of this id (empty: the default one).
  bool check_score(const std::string& metric, const std::string& score,
                   const SourceLocation& location, const std::string& path) const;

  /// The metrics, for references that may name something else.
  const EntryNames& metric_names() const { return metrics_; }
  /// True for a select among the kept checkpoints of each row.
  bool chooses_checkpoints(const std::string& id) const;
  /// The rows whose model is this entry.
  std::vector<std::string> rows_of_model(const std::string& id) const;

 private:
  CheckContext context_;
  EntryNames rows_, selects_, rows_and_selects_, metrics_;
};

/// The ids of all entries that several references name.
std::vector<std::string> all_ids(const std::vector<Found>& found);

}  // namespace lvtext
