// Resolves the inputs of a recipe's components: converts references and inline models to nodes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/pipeline/plan/entry_resolver.h"
#include "framework/pipeline/plan/reference_resolver.h"
#include "framework/pipeline/plan/resolver_context.h"
#include "framework/pipeline/plan/score_resolver.h"
#include "framework/pipeline/plan/select_resolver.h"

namespace lvtext {

/// Filled inputs, or the reasons why inputs are missing.
struct Resolved {
  FilledInputs inputs;
  std::vector<std::string> reasons;
};

/// Fills every input by one rule: the value in the recipe's entry, else the row's filler of that
/// name, else the text generated under that name, else the input's default. Entries are added to
/// the graph on first use.
///
/// The classes of entries, references, selects and scores call each other through the resolver,
/// because they are mutually recursive: the inputs of an entry are references, a reference to a
/// select needs scores, and a score has inputs.
class Resolver {
 public:
  explicit Resolver(ResolverContext context);
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  EntryResolver& entries() { return entries_; }
  ReferenceResolver& references() { return references_; }
  SelectResolver& selects() { return selects_; }
  ScoreResolver& scores() { return scores_; }

  /// The nodes that fill the inputs of an entry (a metric, a figure, an artifact) for a row. Names
  /// of new nodes contain `owner`.
  Resolved resolve(const std::string& owner, const std::vector<CheckedInput>& inputs,
                   const ResolvedRow& row);
  /// The inputs of resolve(); throws Absent with all reasons if some are missing.
  FilledInputs all_inputs(const std::string& owner, const std::vector<CheckedInput>& inputs,
                          const ResolvedRow& row);
  /// The node of a component that is the value of an input; throws Absent like all_inputs().
  std::string inline_component(const std::string& owner, const InputDecl& input,
                               const InlineComponent& inlined, const ResolvedRow& row);

  /// An id that is being resolved, until the end of its lifetime.
  class Opening {
   public:
    /// Throws ConfigError listing the cycle if the id is being resolved already.
    Opening(Resolver& resolver, const std::string& id);
    ~Opening() { open_.pop_back(); }
    Opening(const Opening&) = delete;
    Opening& operator=(const Opening&) = delete;

   private:
    std::vector<std::string>& open_;
  };

 private:
  /// The nodes of an input; empty with the reasons.
  std::vector<NodePart> fill(const std::string& owner, const CheckedInput& input,
                             const ResolvedRow& row, std::vector<std::string>& reasons);
  std::string inline_model(const std::string& owner, const InputDecl& input,
                           const CheckedModel& model, const ResolvedRow& row);

  ResolverContext context_;
  EntryResolver entries_;
  ReferenceResolver references_;
  SelectResolver selects_;
  ScoreResolver scores_;
  std::vector<std::string> open_;              ///< ids that are being resolved
  std::map<std::string, std::string> shared_;  ///< inline models of all rows: name -> node
};

}  // namespace lvtext
