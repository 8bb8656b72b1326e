// References to entries, to data, and to models and texts of rows: the nodes that they name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/pipeline/nodes/inline_model.h"
#include "framework/pipeline/plan/resolver_context.h"

namespace lvtext {

class Resolver;

/// Finds the nodes of references, and adds those of columns, texts and generated texts. Functions
/// that return nodes throw Absent if there are none.
class ReferenceResolver {
 public:
  /// Reads from the metrics of the recipe which texts of rows are requested, and how much of each.
  ReferenceResolver(const ResolverContext& context, Resolver& resolver);

  /// The node of a reference that is the value of an input.
  NodePart node_of(const InputDecl& input, const KnownReference& reference, const ResolvedRow& row);
  /// The values of a filling: all members of a row's filler that has several, else the filling.
  std::vector<Filling> members_of(const Filling& filling, const ResolvedRow& row) const;
  /// The whole text of a reference, and its number of sentences if that is known.
  InlineContext::Source text(const KnownReference& reference, const ResolvedRow& row);
  /// The node of a text of a row, "samples" or another filler. Existing nodes are reused.
  std::string text_of_row(const std::string& name, const ResolvedRow& row);
  /// True if a metric uses this text of a row.
  bool is_requested(const std::string& text) const { return requested_.contains(text); }

 private:
  /// node_of() for an entry of artifacts or models.
  NodePart of_entry(const KnownReference& reference, const ResolvedRow& row);
  /// node_of() for a split, part or column of a row's filler.
  NodePart part_of_filler(const InputDecl& input, const KnownReference& reference,
                          const ResolvedRow& row);
  /// node_of() for a row's model or filler, when the input is no text.
  NodePart of_row(const InputDecl& input, const KnownReference& reference, const ResolvedRow& row);
  /// All checkpoint parts of a node that is computed at each kept checkpoint; otherwise the node.
  NodePart at_its_checkpoints(const std::string& node) const;
  std::string generate(const std::string& name, const ResolvedRow& row);
  void request(const CheckedInput& input);
  void request(const KnownReference& reference, int64_t rows);
  /// Requested sentences of a text of a row; 0: all, or it is not requested.
  int64_t requested(const std::string& text) const;

  const ResolverContext& context_;
  Resolver& resolver_;
  std::map<std::string, int64_t> requested_;  ///< text of a row -> requested sentences; 0: all
};

}  // namespace lvtext
