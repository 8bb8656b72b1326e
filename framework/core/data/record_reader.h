// From files, or from nothing but a seed, to records: the family of components that `reader` of a
// data set names, one file each in framework/core/data/readers/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/data/records.h"
#include "framework/core/options/choice.h"

namespace lvtext {

/// A reader of files overrides read(), a generator generates() and draw().
struct RecordReader {
  static constexpr const char* kKind = "reader";
  static Choices<RecordReader>& components();

  RecordReader() = default;
  RecordReader(const RecordReader&) = default;
  RecordReader& operator=(const RecordReader&) = default;
  virtual ~RecordReader() = default;

  /// The fields that it gives; empty: any that it is asked for.
  virtual std::vector<std::string> fields() const { return {}; }
  /// Those of them that are not one text each: several texts, numbers, images. Labels are texts.
  virtual FieldTypes types() const { return {}; }

  /// Calls `each` with every record of a file, plain or gzip: the values of `fields`, in their
  /// order, as they stand there, of the types that types() says. Returns the number of the file's
  /// lines (of records where they do not follow lines). Throws MissingError, or DataError naming
  /// file and line.
  virtual int64_t read(const std::filesystem::path& /*file*/,
                       const std::vector<std::string>& /*fields*/,
                       const std::function<void(Record)>& /*each*/) const {
    LVT_ASSERT(false, "this reader reads no files");
    return 0;
  }

  /// True if it reads no file but draws records.
  virtual bool generates() const { return false; }
  /// Record `index` of the stream `seed`: a pure function of both; all of fields().
  virtual Record draw(uint64_t /*seed*/, uint64_t /*index*/) const {
    LVT_ASSERT(false, "this reader draws no records");
    return {};
  }
  /// Entropy of a drawn record in nats, where it is known.
  virtual std::optional<double> entropy() const { return {}; }
};

}  // namespace lvtext
