// Nodes of figures.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "framework/graph/graph.h"
#include "framework/tsne/tsne.h"

namespace lvtext {

/// The draws of add_posterior_draws laid out by t-SNE from the seed's start. File:
/// tsne-seed<seed>.csv with the columns sentence_id,draw,x,y. The node fails with ConfigError if
/// there are not more points than the perplexity, with DataError if a code is not finite.
std::string add_tsne(Graph& graph, const std::string& name, const std::string& draws,
                     const TsneOptions& options, int64_t seed);

/// One line of that file.
struct LaidOut {
  int64_t sentence_id = 0;  ///< line of the test set, from 0
  int64_t draw = 0;
  double x = 0, y = 0;
};
/// Of a finished node.
std::vector<LaidOut> read_tsne(const std::filesystem::path& folder, int64_t seed);

}  // namespace lvtext
