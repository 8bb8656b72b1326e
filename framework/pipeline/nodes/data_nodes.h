// The nodes from a data set to datasets: source, tokenizer, packs.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/data/dataset.h"
#include "framework/core/data/derived_data.h"
#include "framework/core/data/load_splits.h"
#include "framework/core/data/packer.h"
#include "framework/core/data/records.h"
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
    v.field("tokenizer", tokenizer, "how text becomes tokens");
    v.field("pack", pack, "how text becomes the rows of a dataset");
  }
};

/// Names of the nodes from a data block to datasets.
struct DataNodes {
  std::string source;
  std::string tokenizer;
  std::map<std::string, std::string> packs;  ///< split -> node
};

/// Adds them, each named `prefix` and what it is. `places` says where files are looked for and is
/// no part of any identity. `tokenizer` names a node that holds the tokenizer, in place of the one
/// that the block says.
DataNodes add_data(Graph& graph, const std::string& prefix, const DataBlock& data,
                   const DataLocations& locations, const std::string& tokenizer = "");

/// Adds a data set that takes records of another one, whose splits and tokenizer it has; datasets
/// are packed by `pack`. The indices of its records in the other one's stand in its records and
/// datasets (Records::parents, Dataset::parents).
DataNodes derive_data(Graph& graph, const std::string& prefix, const DataNodes& parent,
                      const DerivedDataOptions& options, const Choice<Packer>& pack);

// The parts of these, for a tokenizer that is fitted on records of a set that uses it: first the
// records, then the tokenizer, then the datasets.

/// The records of the data's splits (write_records()). A node of the same records is added once.
std::string add_source(Graph& graph, const std::string& name, const DataOptions& options,
                       const DataLocations& locations);
/// The records that the options take of those of the node `parent`.
std::string add_derived_source(Graph& graph, const std::string& name, const std::string& parent,
                               const DerivedDataOptions& options);
/// A dataset of each of the splits.
DataNodes add_packs(Graph& graph, const std::string& prefix, const std::string& source,
                    const std::string& tokenizer, const std::vector<std::string>& splits,
                    const Choice<Packer>& pack);

/// The tokenizer of the texts of a split of `source`'s records: of a column or, without one, of all
/// columns. Of a tokenizer that takes its words from a file, `source` may be empty. Where these
/// have vectors, kInitialFile holds them as kWordVectors.
std::string add_tokenizer(Graph& graph, const std::string& name, const std::string& source,
                          const Choice<TokenizerFit>& tokenizer, const std::string& split = "train",
                          const std::string& column = "");

/// A column of a split's records, texts or labels, as a text: a line for every record. Files:
/// text.txt, dataset.safetensors.
std::string add_column(Graph& graph, const std::string& name, const std::string& source,
                       const std::string& split, const std::string& column,
                       const std::string& tokenizer);

/// The packs as a training's inputs; empty while they are not there.
NodeInputs finished_packs(const DataNodes& data, const GraphStatus& status);

// Reading what finished nodes left. All verify what they read (FinishedRun): MissingError if the
// node is not finished, DamagedRun if a file is not what the node wrote.

/// The first text of each record of a source node's split.
std::vector<std::string> read_split(const std::filesystem::path& source, const std::string& split);
/// The records of a source node's split.
Records read_records(const std::filesystem::path& source, const std::string& split);
/// The tokenizer of a node that fits one, read by the component that its manifest names.
std::shared_ptr<const Tokenizer> read_tokenizer(const std::filesystem::path& folder);
/// The dataset of a node that leaves one (packs, samples).
Dataset read_dataset(const std::filesystem::path& folder);
/// The sentences of a node that writes text.txt, one per line.
std::vector<std::string> read_text(const std::filesystem::path& folder);
/// What write_lines wrote to a listed file. Unlike a corpus from outside it may be empty, or of
/// empty lines: a model that says nothing has samples too.
std::vector<std::string> read_written_lines(const FinishedRun& run, const std::string& file);

/// One sentence per line as a file; line ends within a sentence cannot occur.
void write_lines(const std::filesystem::path& file, const std::vector<std::string>& lines);

}  // namespace lvtext
