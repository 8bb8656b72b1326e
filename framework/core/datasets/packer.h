// Interface of packers, which convert records to datasets. Components of the option `pack` of a
// data set, in packers.cpp.
#pragma once

#include <cstdint>
#include <filesystem>

#include "framework/core/datasets/records.h"
#include "framework/core/options/choice.h"
#include "framework/core/text/tokenizer.h"

namespace lvtext {

/// Counts of a packed dataset.
struct PackCounts {
  int64_t rows = 0;
  int64_t tokens = 0;          ///< number of tokens of all texts
  int64_t unknown = 0;         ///< number of tokens that are <unk>
  int64_t without_tokens = 0;  ///< number of rows with text but without a token in any of it
  int64_t dropped = 0;         ///< number of tokens that are in no row
};

/// Converts the records of one split to a dataset: decides how texts are cut into rows and which
/// columns are stored. Deterministic, because the dataset is identified by its inputs and options.
struct Packer {
  static constexpr const char* kKind = "packer";
  static Choices<Packer>& components();

  Packer() = default;
  Packer(const Packer&) = default;
  Packer& operator=(const Packer&) = default;
  virtual ~Packer() = default;

  /// Whether row i of the dataset is record i.
  virtual bool keeps_rows() const { return true; }
  /// Whether the records are lines of a running text, none of which may be removed or moved.
  virtual bool reads_running_text() const { return false; }
  /// Writes the records as a dataset. Throws ConfigError for unsupported records.
  virtual PackCounts pack(const Records& records, const Tokenizer& tokenizer,
                          const std::filesystem::path& file) const = 0;
};

}  // namespace lvtext
