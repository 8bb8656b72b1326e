// The components that entries of artifacts and models name, and what they compute.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "framework/core/model/registries.h"
#include "framework/pipeline/check/checked_data.h"
#include "framework/pipeline/recipe/recipe.h"

namespace lvtext {

/// The components of `artifacts` and `models`, by the ids of their entries. Mistakes of an entry
/// are reported by its reader, read_entries().
class EntryComponents {
 public:
  /// All arguments must outlive it.
  EntryComponents(const Recipe& recipe, const Registries& registries, const DataSets& data);

  /// True for an entry that names a component, also an unknown one; false for tokenizers.
  bool contains(const std::string& id) const { return components_.contains(id); }
  /// The component of an entry; null if it is unknown.
  const Component* find(const std::string& id) const;
  /// The entries that are models.
  std::vector<std::string> models() const;
  /// True for entries of inference.
  bool is_inference(const std::string& id) const;
  /// The type of the result of an entry of inference; text for all other entries.
  ArtifactType result_type(const std::string& id) const;
  /// The splits for which an entry of inference runs separately: those of a whole data set, or of
  /// another such entry, among its inputs. Empty: it runs once.
  std::vector<std::string> whole_splits(const std::string& id) const;
  /// The named parts that an entry of inference computes; none if its options have errors or it is
  /// unknown.
  std::vector<NamedPart> parts(const std::string& id) const;

 private:
  const Node* entry_node(const std::string& id) const;
  /// `open`: the entries whose splits are being computed, to end at a cycle.
  std::vector<std::string> whole_splits(const std::string& id, std::set<std::string>& open) const;

  const Recipe& recipe_;
  const DataSets& data_;
  std::map<std::string, const Component*> components_;  // components by id; null: unknown
};

}  // namespace lvtext
