// Reads the records, tokenizers, datasets and texts of finished nodes. Everything that is read is
// verified (FinishedRun): MissingError if the node is not finished, DamagedRun if a file does not
// match its manifest.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/datasets/dataset.h"
#include "framework/core/datasets/records.h"
#include "framework/core/text/tokenizer.h"

namespace lvtext {

/// Component name of nodes with a column of records as a text (add_column()).
inline constexpr const char* kColumn = "column";

/// Returns the texts of a column, all texts of records with several; with an empty `column`, of all
/// columns except labels, one after the other.
std::vector<std::string> texts_of(const Records& records, const std::string& column);

/// Returns the first text of each record of a source node's split.
std::vector<std::string> read_split(const std::filesystem::path& source, const std::string& split);
/// Returns the texts of a column of a source node's split; all texts of records with several. Of
/// all columns, one after the other, if `column` is empty. Throws DataError if there are none.
std::vector<std::string> read_texts(const std::filesystem::path& source, const std::string& split,
                                    const std::string& column);
/// Returns the records of a source node's split.
Records read_records(const std::filesystem::path& source, const std::string& split);
/// Returns the records of all splits of a source node.
std::map<std::string, Records> read_all_records(const std::filesystem::path& source);
/// The tokenizer of a node, loaded by the component named in its manifest.
std::shared_ptr<const Tokenizer> read_tokenizer(const std::filesystem::path& folder);
/// The dataset of a node with one (packs, samples).
Dataset read_dataset(const std::filesystem::path& folder);
/// The lines of a node's text.txt, one sentence each.
std::vector<std::string> read_text(const std::filesystem::path& folder);
/// Lines of a listed file written by write_lines(). Unlike an external corpus it may be empty or
/// have only empty lines: empty sentences are valid samples.
std::vector<std::string> read_written_lines(const FinishedRun& run, const std::string& file);

/// Writes one sentence per line. Sentences must not contain line breaks.
void write_lines(const std::filesystem::path& file, const std::vector<std::string>& lines);

}  // namespace lvtext
