// Options that differ among runs of the same recipe and row.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "framework/pipeline/runs/run_scan.h"

namespace lvtext {

/// Option -> value. Options of the model have no prefix ("latent.size"), those of the training have
/// the prefix `train.`, those of input nodes the node's name ("data-tokenizer.vocab"); `data` has
/// the names of data sets and text files. Options that
/// distinguish the runs are first: each separates as many of the runs as possible that have equal
/// values so far. The others follow in alphabetical order.
using RunDifferences = std::vector<std::pair<std::string, std::string>>;

/// For each of `runs`, the options that differ among them, including those of inputs. An input that
/// differs but is not in `all` is represented by its hash.
std::vector<RunDifferences> differences(const std::vector<const FoundRun*>& runs,
                                        const std::vector<FoundRun>& all);

/// Compares every run in `all` with those of the same paper, row and profile. Seeds are left out,
/// since the names of runs contain them.
std::vector<RunDifferences> differences_among(const std::vector<FoundRun>& all);

/// "latent.size=8 train.stop=30u", with at most four options and long values truncated.
std::string differences_text(const RunDifferences& differences);

}  // namespace lvtext
