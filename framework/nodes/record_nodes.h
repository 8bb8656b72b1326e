// The nodes from a set of records to datasets of several columns: source, words, packs.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "framework/data/records.h"
#include "framework/graph/graph.h"
#include "framework/text/words.h"

namespace lvtext {

/// Names of the nodes.
struct RecordNodes {
  std::string source;
  std::string words;                         ///< words.json and, with vectors, kInitialFile
  std::map<std::string, std::string> packs;  ///< "train" and "valid" -> node
};

/// The splits of a set as train.tsv, valid.tsv, test.tsv, and records.json with fields and labels.
std::string add_record_source(Graph& graph, const std::string& name, const RecordOptions& options,
                              const DataPlaces& places);

/// The words of the texts of `source`'s training records or, given `vectors` (a file of word
/// vectors), that file's first words with their vectors as "words.weight"; `source` may then be
/// empty.
std::string add_words(Graph& graph, const std::string& name, const std::string& source,
                      const WordOptions& options, const std::filesystem::path& vectors);

/// All of them, each named `prefix` and what it is.
RecordNodes add_records(Graph& graph, const std::string& prefix, const RecordOptions& data,
                        const WordOptions& words, const std::filesystem::path& vectors,
                        const DataPlaces& places);

/// The words of a finished words node.
Words read_words(const std::filesystem::path& folder);

}  // namespace lvtext
