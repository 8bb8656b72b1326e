// The nodes from a data set to datasets: source, tokenizer, packs.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "framework/checkpoint/finished_run.h"
#include "framework/data/dataset.h"
#include "framework/data/sentences.h"
#include "framework/graph/executor.h"
#include "framework/graph/graph.h"
#include "framework/text/sentencepiece.h"

namespace lvtext {

/// The `data:` block of a recipe.
struct DataBlock {
  DataOptions source;
  TokenizerOptions tokenizer;

  template <class V>
  void visit(V& v) {
    source.visit(v);
    v.field("tokenizer", tokenizer, "how text becomes pieces");
  }
};

/// Names of the nodes that every row of a recipe shares.
struct DataNodes {
  std::string source;
  std::string tokenizer;
  std::map<std::string, std::string> packs;  ///< split -> node
};

/// Adds them. `places` says where files are looked for and is no part of any identity.
DataNodes add_data(Graph& graph, const DataBlock& data, const DataPlaces& places);

/// The packs as a training's inputs; empty while they are not there.
NodeInputs finished_packs(const DataNodes& data, const GraphStatus& status);

// Reading what finished nodes left. All verify what they read (FinishedRun): MissingError if the
// node is not finished, DamagedRun if a file is not what the node wrote.

/// Lines of a source node's split: "train", "valid", "test" or "reverse".
/// `run` for a source node. Under IfMissing::kSkip data that cannot be had end the node as skipped.
std::function<void(NodeRun&)> source_run(IfMissing if_missing, std::function<void(NodeRun&)> run);

std::vector<std::string> read_split(const std::filesystem::path& source, const std::string& split);
/// The tokenizer of a tokenizer node.
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
