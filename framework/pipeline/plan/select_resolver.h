// Selects: the nodes that choose a row or a kept checkpoint, and those of the candidates.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/plan/resolver_context.h"

namespace lvtext {

class Resolver;

/// A node for one seed of its inputs: a selection, or a score of several rows.
struct SeedNode {
  std::string node;
  std::optional<int64_t> seed;
  std::string reason;  ///< why `node` is empty
};

/// Adds the nodes of selects. What a select chooses is known only after its node ran, so that a
/// reference to a select among rows names nodes of all candidates.
class SelectResolver {
 public:
  SelectResolver(const ResolverContext& context, Resolver& resolver)
      : context_(context), resolver_(resolver) {}

  /// The nodes of a select among rows.
  std::vector<SeedNode> selections(const CheckedSelect& select);
  /// The node that chooses a kept checkpoint of a row; empty if the row has no scores of them.
  std::string checkpoint_selection(const CheckedSelect& select, const ResolvedRow& row);
  /// The nodes that `of_candidate` returns for the candidates of a select among rows; the one to
  /// read is chosen at run time. Throws Absent if there is no selection for the seed of `row`.
  NodePart chosen_of(const CheckedSelect& select, const ResolvedRow& row,
                     const std::function<NodePart(const ResolvedRow& candidate)>& of_candidate);

 private:
  const ResolverContext& context_;
  Resolver& resolver_;
  std::map<std::string, std::vector<SeedNode>> selections_;  ///< by select
};

}  // namespace lvtext
