// What tells runs of one recipe and row apart.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/pipeline/runs/run_scan.h"

namespace lvtext {

/// Option -> value. Options of the model stand under their own names ("latent.size"), those of the
/// training under `train.`, those of other nodes, from which a run was made, under the node's name
/// ("data-tokenizer.vocab").
using RunDifferences = std::map<std::string, std::string>;

/// For each of `runs`, the options that are not the same in all of them, its inputs' included. An
/// input that differs but is not among `all` is shown by its hash.
std::vector<RunDifferences> differences(const std::vector<const FoundRun*>& runs,
                                        const std::vector<FoundRun>& all);

/// The same for every run among `all`, each compared with those of its paper, row and profile,
/// except for the seed, which is in its name.
std::vector<RunDifferences> differences_among(const std::vector<FoundRun>& all);

/// "latent.size=8 train.stop=30u", shortened: at most four options.
std::string differences_text(const RunDifferences& differences);

}  // namespace lvtext
