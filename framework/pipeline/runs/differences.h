// Options that distinguish runs of the same recipe and row.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/pipeline/runs/run_scan.h"

namespace lvtext {

/// Option -> value. Options of the model have their own names ("latent.size"), those of the
/// training start with `train.`, those of a run's inputs with the name of the node
/// ("data-tokenizer.vocab").
using RunDifferences = std::map<std::string, std::string>;

/// For each of `runs`, the options that differ among them, including those of inputs. A differing
/// input that is not in `all` is shown by its hash.
std::vector<RunDifferences> differences(const std::vector<const FoundRun*>& runs,
                                        const std::vector<FoundRun>& all);

/// The same for every run in `all`, compared with those of its paper, row and profile; without the
/// seed, which is part of the name.
std::vector<RunDifferences> differences_among(const std::vector<FoundRun>& all);

/// "latent.size=8 train.stop=30u"; at most four options.
std::string differences_text(const RunDifferences& differences);

}  // namespace lvtext
