// Nodes of a data set: source, tokenizer, and the packed datasets of its splits.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/datasets/dataset.h"
#include "framework/core/datasets/packer.h"
#include "framework/core/datasets/records.h"
#include "framework/core/sources/derived_data.h"
#include "framework/core/sources/load_splits.h"
#include "framework/core/text/tokenizer_fit.h"
#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/graph/graph.h"

namespace lvtext {

/// The `data:` block of a recipe.
struct DataBlock {
  DataOptions source;
  Choice<TokenizerFit> tokenizer{"unigram"};
  Choice<Packer> pack{"text"};

  template <class V>
  void visit(V& v) {
    source.visit(v);
    v.field("tokenizer", tokenizer, "tokenization of text");
    v.field("pack", pack, "conversion of records to the rows of a dataset");
    if (!pack || !pack->reads_running_text()) return;
    const std::string filter = source.record_filter();
    v.check(filter.empty(), "data." + filter + " applies to records, but pack: " + pack.name() +
                                " reads running text, of which no line is removed or moved; "
                                "remove the option or use pack: text");
    source.keep_all_records();
  }
};

/// Names of the nodes of a data block.
struct DataNodes {
  std::string source;
  std::string tokenizer;
  std::map<std::string, std::string> packs;  ///< split -> node
};

/// False for a data set that consists of a test or validation split alone.
bool has_training_text(const DataOptions& options);
/// Whether the block's tokenizer can be fitted or is read from a file.
bool has_tokenizer_text(const DataBlock& data);

/// Adds the nodes of a data block; their names start with `prefix`. `locations`: folders that are
/// searched for files; not part of any identity. `tokenizer`: node with a tokenizer that replaces
/// the one of the block. Throws ConfigError if there is no text to fit a tokenizer to.
DataNodes add_data(Graph& graph, const std::string& prefix, const DataBlock& data,
                   const DataLocations& locations, const std::string& tokenizer = "");

/// A split of a node of records; with an empty `split` all of its splits.
struct SplitOfSource {
  std::string source, split = {};
};

// The steps of add_data(), for a tokenizer that is fitted to records of a set that uses it: first
// the records, then the tokenizer, then the datasets.

/// Adds the records of the data's splits (write_records()). Equal nodes are added once.
std::string add_source(Graph& graph, const std::string& name, const DataOptions& options,
                       const DataLocations& locations);
/// Adds the records that the options select from those of a node, with the indices of their parents
/// (Records::parents); or from those of several splits, one after the other, as the split `train`.
std::string add_derived_source(Graph& graph, const std::string& name,
                               const std::vector<SplitOfSource>& from,
                               const DerivedDataOptions& options);
/// Adds a dataset for each split.
DataNodes add_packs(Graph& graph, const std::string& prefix, const std::string& source,
                    const std::string& tokenizer, const std::vector<std::string>& splits,
                    const Choice<Packer>& pack);

/// Adds a tokenizer fitted to a split of `source`'s records: to one column, or to all columns if
/// `column` is empty. `source` may be empty for a tokenizer that is read from a file, which is
/// located when the node runs. Word vectors of the file are written to kInitialFile as
/// kWordVectors.
std::string add_tokenizer(Graph& graph, const std::string& name, const std::string& source,
                          const Choice<TokenizerFit>& tokenizer, const DataLocations& locations,
                          const std::string& split = "train", const std::string& column = "");

/// Adds a column of a split's records (texts or labels) as a text with one line per record, the
/// first of several texts. Files: text.txt, dataset.safetensors.
std::string add_column(Graph& graph, const std::string& name, const std::string& source,
                       const std::string& split, const std::string& column,
                       const std::string& tokenizer);

}  // namespace lvtext
