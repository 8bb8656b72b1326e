// How text becomes tokens: the family of components that `tokenizer` of data names, one file each
// in framework/core/text/tokenizers/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "framework/core/options/choice.h"
#include "framework/core/text/text_vectors.h"
#include "framework/core/text/tokenizer.h"

namespace lvtext {

/// What fit() leaves.
struct FittedTokenizer {
  std::vector<std::string> files;   ///< written into the folder
  nlohmann::ordered_json metadata;  ///< for the manifest
  TextVectors vectors = {};         ///< of its words; width 0: none
};

struct TokenizerFit {
  static constexpr const char* kKind = "tokenizer";
  static Choices<TokenizerFit>& components();

  TokenizerFit() = default;
  TokenizerFit(const TokenizerFit&) = default;
  TokenizerFit& operator=(const TokenizerFit&) = default;
  virtual ~TokenizerFit() = default;

  /// Learns from the texts, or takes what given_file() holds, and writes a tokenizer into the
  /// folder. Deterministic. Throws DataError or ConfigError for texts that it cannot learn from.
  virtual FittedTokenizer fit(const std::vector<std::string>& texts,
                              const std::filesystem::path& folder) const = 0;
  /// Reads what fit() wrote; a matter of the folder alone, not of the options. Throws DataError.
  virtual std::shared_ptr<const Tokenizer> load(const std::filesystem::path& folder) const = 0;

  /// The value of the option `file`: what it takes its words from in place of texts; empty: it
  /// learns.
  virtual std::string given_file() const { return ""; }
  /// Width of the vectors that fit() leaves, without fitting; 0: none. Throws what reading the file
  /// throws.
  virtual int64_t vector_width() const { return 0; }
  /// Its vocabulary for a report: "8000 at most (unigram)".
  virtual std::string summary() const = 0;
};

}  // namespace lvtext
