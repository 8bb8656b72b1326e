// Interface of tokenizer training. Components of the option `tokenizer` of a data set, one file
// each in framework/core/text/tokenizers/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/options/choice.h"
#include "framework/core/options/given_file.h"
#include "framework/core/text/text_vectors.h"
#include "framework/core/text/tokenizer.h"

namespace lvtext {

/// Result of fit().
struct FittedTokenizer {
  std::vector<std::string> files;   ///< names of the files written to the folder
  nlohmann::ordered_json metadata;  ///< for the manifest
  TextVectors vectors = {};         ///< word vectors; width 0: none
};

/// Options of a kind of tokenizer and how to make it. The tokenizer's node of the graph calls
/// read() if there is a given_file(), else fit() on the texts of one split (by default `train`);
/// all nodes that read it call load(). A kind overrides fit(), read() or both.
struct TokenizerFit {
  static constexpr const char* kKind = "tokenizer";
  static Choices<TokenizerFit>& components();

  TokenizerFit() = default;
  TokenizerFit(const TokenizerFit&) = default;
  TokenizerFit& operator=(const TokenizerFit&) = default;
  virtual ~TokenizerFit() = default;

  /// Trains a tokenizer on the texts and writes it to the folder. Deterministic. Throws DataError
  /// or ConfigError if the texts cannot be used.
  virtual FittedTokenizer fit(const std::vector<std::string>& /*texts*/,
                              const std::filesystem::path& /*folder*/) const {
    LVT_ASSERT(false, "a tokenizer without a given_file() must override fit()");
    return {};
  }
  /// Reads given_file(), which is at the path `file`, and writes the tokenizer to the folder.
  /// Throws DataError.
  virtual FittedTokenizer read(const std::filesystem::path& /*file*/,
                               const std::filesystem::path& /*folder*/) const {
    LVT_ASSERT(false, "a tokenizer with a given_file() must override read()");
    return {};
  }
  /// Loads what fit() or read() wrote; depends only on the folder, not on the options. Throws
  /// DataError.
  virtual std::shared_ptr<const Tokenizer> load(const std::filesystem::path& folder) const = 0;

  /// Raised by a change after which the same options give other token ids.
  virtual int revision() const { return 1; }
  /// The value of the option `file`, from which the vocabulary is read; empty: it is trained on the
  /// texts.
  virtual GivenFile given_file() const { return {}; }
  /// Width of the vectors that fit() returns, without fitting; 0: none. Throws if the file cannot
  /// be read.
  virtual int64_t vector_width() const { return 0; }
  /// Description of the vocabulary for a report, such as "8000 at most (unigram)".
  virtual std::string summary() const = 0;
};

}  // namespace lvtext
