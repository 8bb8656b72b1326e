// Interface of readers, which read records from files or generate them from a seed. Components of
// the option `reader` of a data set, one file each in framework/core/sources/readers/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/datasets/records.h"
#include "framework/core/options/choice.h"
#include "framework/core/sources/attachments.h"

namespace lvtext {

/// Readers of files override read(); generators override generates() and draw().
struct RecordReader {
  static constexpr const char* kKind = "reader";
  static Choices<RecordReader>& components();

  RecordReader() = default;
  RecordReader(const RecordReader&) = default;
  RecordReader& operator=(const RecordReader&) = default;
  virtual ~RecordReader() = default;

  /// The fields that the reader provides; empty: any requested field.
  virtual std::vector<std::string> fields() const { return {}; }
  /// Types of the fields that are not a single text: several texts, numbers, images. Labels count
  /// as texts.
  virtual FieldTypes types() const { return {}; }

  /// Calls `each` with every record of a file, plain or gzip: the unmodified values of `fields`, in
  /// this order, of the types given by types(). Returns the number of lines of the file, or the
  /// number of records if records are not lines. Throws MissingError, or DataError naming file and
  /// line.
  virtual int64_t read(const std::filesystem::path& /*file*/,
                       const std::vector<std::string>& /*fields*/,
                       const std::function<void(Record)>& /*each*/) const {
    LVT_ASSERT(false, "read() is not implemented by this reader");
    return 0;
  }

  /// The files that the records of a file need besides it. `lvtext data get` copies them from the
  /// mirror, too. read() verifies those with a SHA-256; the content of the others is part of the
  /// identity of a user's files, and a file of a data set may not have them. Throws as read() does.
  virtual std::vector<Attachment> attachments(const std::filesystem::path& /*file*/) const {
    return {};
  }

  /// True if the reader draws records instead of reading files.
  virtual bool generates() const { return false; }
  /// Record `index` of the stream `seed`, with all of fields(); a pure function of both.
  virtual Record draw(uint64_t /*seed*/, uint64_t /*index*/) const {
    LVT_ASSERT(false, "draw() is not implemented by this reader");
    return {};
  }
  /// Entropy of a drawn record in nats; nullopt if unknown.
  virtual std::optional<double> entropy() const { return {}; }
};

}  // namespace lvtext
