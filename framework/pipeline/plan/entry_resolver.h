// The nodes of a recipe's entries and rows at each of their runs, and how seeds are paired.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/pipeline/plan/resolver_context.h"

namespace lvtext {

class Resolver;
struct Training;

/// Seeds of the runs of a result; one element without a seed if no training is involved.
using Seeds = std::vector<std::optional<int64_t>>;

/// Adds the nodes of entries of artifacts and models when something first refers to them. Seeds of
/// several inputs are paired by their order; a single one is paired with all. Functions throw
/// ConfigError for seeds that cannot be paired and for cyclic references, and those that return
/// runs or nodes throw Absent if there are none.
class EntryResolver {
 public:
  EntryResolver(const ResolverContext& context, Resolver& resolver)
      : context_(context), resolver_(resolver) {}

  /// A row at each of its seeds; one element without a seed if no training is involved.
  std::vector<ResolvedRow> runs_of(const CheckedRow& row);
  /// The node of an entry that belongs to a row or a run; `split`: for inference over splits.
  std::string run_of(const std::string& id, const std::string& split, const ResolvedRow& row);
  /// An entry at the weights named by `at`.
  NodePart entry_at(const std::string& id, const std::string& at, const ResolvedRow& row);

  /// Seeds of the runs of a result that is computed from these inputs; `owner` is for errors.
  Seeds seeds_of(const std::vector<CheckedInput>& inputs, const std::string& owner);
  static Seeds seeds_of(const std::vector<ResolvedRow>& runs);
  /// Pairs `seeds` of `owner` with those of its input `name`.
  void pair_seeds(const Seeds& more, const std::string& name, const std::string& owner,
                  Seeds& seeds) const;
  /// Index of the run, among `count` runs of `name`, that belongs to a row; a single run belongs to
  /// all.
  size_t paired(size_t count, const std::string& name, const ResolvedRow& row) const;

 private:
  /// The nodes of an entry, one per run, or the reason why there are none.
  struct Runs {
    std::vector<std::string> nodes;
    std::string reason;
  };
  const Runs& entry(const std::string& id, const std::string& split = "");
  Runs add_entry(const CheckedEntry& entry, const Seeds& seeds, const std::string& split);
  std::string add_run(const CheckedEntry& entry, const ResolvedRow& run, const FilledInputs& inputs,
                      int64_t seed);
  /// Sets the training and validation data that an entry names.
  void set_data(const CheckedEntry& entry, const ResolvedRow& run, Training& training);
  Seeds seeds_of(const Filling& filling);
  const Seeds& seeds_of(const CheckedEntry& entry);

  const ResolverContext& context_;
  Resolver& resolver_;
  std::map<std::pair<std::string, std::string>, Runs> entries_;  ///< by id and split
  std::map<std::string, Seeds> seeds_;                           ///< of entries
};

}  // namespace lvtext
