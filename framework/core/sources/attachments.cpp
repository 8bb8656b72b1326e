#include "framework/core/sources/attachments.h"

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/strings.h"

namespace lvtext {

std::string read_attachment(const std::filesystem::path& file, const Attachment& attachment) {
  if (!stays_inside(attachment.path)) {
    throw DataError("the path '" + attachment.path + "' must be relative and without '..'");
  }
  std::string content = read_file(file.parent_path() / attachment.path);
  const std::string found = attachment.sha256.empty() ? "" : sha256(content);
  if (found == attachment.sha256) return content;
  throw DataError("'" + attachment.path + "' has the SHA-256 " + found + ", expected " +
                  attachment.sha256 + "; fetch it again");
}

void FileMistakes::add(const std::string& location, const std::string& what) {
  constexpr int64_t kMaxListed = 5;
  if (++count_ <= kMaxListed) first_.push_back(location + ": " + what);
}

void FileMistakes::check(int64_t records) const {
  if (count_ == 0) return;
  std::string text = "'" + file_.string() + "': " + format_count(count_) + " of " +
                     format_count(records, "record") + " cannot be used";
  for (const std::string& each : first_) text += "\n  " + each;
  if (count_ > std::ssize(first_)) {
    text += "\n  and " + format_count(count_ - std::ssize(first_)) + " more";
  }
  throw DataError(text);
}

}  // namespace lvtext
