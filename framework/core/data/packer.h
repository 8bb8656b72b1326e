// From records to datasets: the family of components that `pack` of a data set names, one file each
// in framework/core/data/packers/.
#pragma once

#include <cstdint>
#include <filesystem>

#include "framework/core/data/records.h"
#include "framework/core/options/choice.h"
#include "framework/core/text/tokenizer.h"

namespace lvtext {

/// What was packed.
struct PackCounts {
  int64_t rows = 0;
  int64_t tokens = 0;   ///< of all texts
  int64_t unknown = 0;  ///< of those, what the tokenizer cannot write
};

struct Packer {
  static constexpr const char* kKind = "packer";
  static Choices<Packer>& components();

  Packer() = default;
  Packer(const Packer&) = default;
  Packer& operator=(const Packer&) = default;
  virtual ~Packer() = default;

  /// Whether each row is one of the records, in their order.
  virtual bool keeps_rows() const { return true; }
  /// Writes the records as a dataset. Throws ConfigError for records that it cannot pack.
  virtual PackCounts pack(const Records& records, const Tokenizer& tokenizer,
                          const std::filesystem::path& file) const = 0;
};

}  // namespace lvtext
