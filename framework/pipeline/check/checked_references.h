// References of a recipe, resolved to data sets, entries, metrics, selects and values of rows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/check/checked_data.h"
#include "framework/pipeline/check/entry_components.h"
#include "framework/pipeline/check/names.h"
#include "framework/pipeline/recipe/reference.h"

namespace lvtext {

/// A resolved reference.
struct KnownReference {
  enum class Of { kData, kEntry, kRow, kSelect, kMetric };
  Of of = Of::kData;
  std::string id;  ///< id of the data set, entry of artifacts or models, select or metric
  /// For data, and inference over each split of a data set: the split, empty for all of them; for a
  /// row or select: "model", or the name of a filler; for a metric: the score, empty for its
  /// default score.
  std::string part;
  std::string removed;  ///< why it is missing (removed by a profile); empty: it exists
  /// For data and inference: a column; for a filler of a row: a split, part or column of it. Empty:
  /// all of it.
  std::string column = {};
  /// For a training: "last", "best", "step:4", or the id of a select among checkpoints; empty: the
  /// selected weights.
  std::string at = {};
  std::string named_part = {};  ///< for inference with named parts: the key of one
  /// For data: lines decoded from the token ids, as opposed to the texts of the records.
  bool decoded = false;
};

/// What a reference may name at its location.
struct ReferenceScope {
  ArtifactType type = ArtifactType::kText;
  bool of_row = false;      ///< values of the scored row: `row.NAME`
  bool whole_sets = false;  ///< data sets, and inference over data sets, without a split
};

/// Removes the last name of the part of a reference to data, "test.decoded", if it asks for the
/// decoded text; returns whether it does.
bool remove_decoded(std::string& part);

/// Adds an error for references that a training cannot read: selects, columns, parts and patterns.
/// `text`: the reference as written.
void check_whole(const KnownReference& named, const std::string& text,
                 const SourceLocation& location, const std::string& path, Errors& errors);

/// The names that references can use, and their meaning.
class References {
 public:
  /// Adds errors for ids that are used in two sections. All arguments must outlive it.
  References(const CheckContext& context, const DataSets& data, const Names& known);

  /// Resolves a reference; a pattern may have several results. Adds an error, whose message starts
  /// with `path`, and returns nothing if it is invalid.
  std::vector<KnownReference> find(const Node& written, const SourceLocation& location,
                                   const ReferenceScope& scope, const std::string& path);
  /// The components of artifacts and models.
  const EntryComponents& components() const { return components_; }
  /// The id that a reference names; the first one of a pattern. Empty if it names nothing.
  std::string first_id(const std::optional<Reference>& reference) const;
  /// True if an entry or a data set has this id.
  bool has(const std::string& id) const { return sections_.contains(id); }
  /// `text` with the id of the recipe's only data set in place of "data", if no entry has that id.
  std::string with_only_set(const std::string& text) const;

 private:
  /// A reference that is being resolved, for messages.
  struct Lookup {
    const Reference& reference;
    const SourceLocation& location;
    const ReferenceScope& scope;
    const std::string& path;
  };

  void add_names();
  void add_name(const std::string& id, const std::string& section, const SourceLocation& location);
  /// Adds an error and returns nullopt, so that callers can `return refuse(...)`.
  std::nullopt_t refuse(const Lookup& lookup, const std::string& problem,
                        const std::string& hint = "");
  /// "'x' is not a text that can be used here; did you mean ...".
  std::string no_such(const std::string& text, const ReferenceScope& scope) const;
  /// The valid references in this scope, for messages.
  std::vector<std::string> valid_references(const ReferenceScope& scope) const;
  bool is_removed(const std::string& id) const;

  std::optional<KnownReference> find_id(const std::string& id, const Lookup& lookup);
  std::optional<KnownReference> find_data(const std::string& id, const Lookup& lookup);
  /// Adds the error of a reference to a data set whose part is not one of its splits and columns.
  /// `part`: without `decoded`.
  std::nullopt_t refuse_split(const CheckedData& data, const std::string& part,
                              const Lookup& lookup);
  std::optional<KnownReference> find_metric(const std::string& id, const Lookup& lookup);
  std::optional<KnownReference> find_select(const std::string& id, const Lookup& lookup);
  std::optional<KnownReference> find_entry_of(const std::string& id, const Lookup& lookup);
  /// Sets split, part and column of a reference to an entry; false if there is an error.
  bool read_part(const Lookup& lookup, KnownReference& named);
  bool read_named_part(const Lookup& lookup, const std::string& rest,
                       const std::vector<NamedPart>& parts, KnownReference& named);
  /// Checks that `@` names weights of a training.
  bool check_checkpoint(const std::string& id, const Lookup& lookup);

  CheckContext context_;
  const DataSets& data_;
  const Names& known_;
  EntryComponents components_;
  std::vector<std::string> row_names_;   // names of values of rows, besides the model
  std::vector<std::string> row_values_;  // names of values that rows of this recipe have
  EntryNames names_;                     // ids of data, artifacts, models, metrics and selects
  std::map<std::string, std::string> sections_;  // section by id
};

}  // namespace lvtext
