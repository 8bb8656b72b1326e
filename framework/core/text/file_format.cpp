#include "framework/core/text/file_format.h"

#include <algorithm>

#include "framework/core/base/characters.h"
#include "framework/core/base/error.h"

namespace lvtext {
namespace {

using std::string_view_literals::operator""sv;

struct Signature {
  std::string_view start;
  const char* text;  ///< the format, and what to do
};

/// The first that fits counts: UTF-32's byte order mark begins with UTF-16's.
constexpr Signature kSignatures[] = {
    {"\xFF\xFE\0\0"sv, "is UTF-32 text; convert it: iconv -f UTF-32 -t UTF-8 FILE > NEW"},
    {"\0\0\xFE\xFF"sv, "is UTF-32 text; convert it: iconv -f UTF-32 -t UTF-8 FILE > NEW"},
    {"\xFF\xFE"sv, "is UTF-16 text; convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW"},
    {"\xFE\xFF"sv, "is UTF-16 text; convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW"},
    {"\x1F\x8B"sv, "is compressed by gzip twice; decompress it once: gunzip -c FILE > NEW"},
    {"\xFD"
     "7zXZ\0"sv,
     "is compressed by xz; only gzip is read: xz -dc FILE > NEW"},
    {"BZh"sv, "is compressed by bzip2; only gzip is read: bzip2 -dc FILE > NEW"},
    {"\x28\xB5\x2F\xFD"sv, "is compressed by Zstandard; only gzip is read: zstd -dc FILE > NEW"},
    {"\x04\x22\x4D\x18"sv, "is compressed by lz4; only gzip is read: lz4 -dc FILE > NEW"},
    {"7z\xBC\xAF\x27\x1C"sv, "is a 7z archive; extract the text from it: 7z x FILE"},
    {"PK\x03\x04"sv,
     "is a zip archive (also .npz, .docx, .xlsx and PyTorch's .pt); extract the text from it: unzip "
     "FILE, or save the document as text"},
    {"\x93NUMPY"sv, "is an array of NumPy; write its values as text"},
    {"\xBA\x16\x4F\x2F"sv,
     "is a model of fastText; use its file of word vectors (.vec), or write one: fasttext dump FILE "
     "..."},
    {"%PDF-"sv, "is a PDF document; extract its text: pdftotext FILE"},
    {"{\\rtf"sv, "is an RTF document; save it as text"},
    {"PAR1\x15"sv, "is a Parquet file; write its column of text to a file"},
    {"ARROW1\0\0"sv, "is an Arrow file; write its column of text to a file"},
    {"SQLite format 3\0"sv, "is an SQLite database; write its column of text to a file"},
};

/// UTF-16 and UTF-32 without a byte order mark: the bytes of ASCII characters, between NULs.
std::string_view wide_encoding(std::string_view start) {
  start = start.substr(0, std::min<size_t>(start.size(), 64) / 4 * 4);
  if (start.size() < 8) return "";
  size_t nul[4] = {};  // by position within four bytes
  for (size_t i = 0; i < start.size(); ++i) nul[i % 4] += start[i] == 0;
  const size_t most = start.size() / 4;
  if (nul[1] == most && nul[2] == most && nul[3] == most && nul[0] == 0) return "UTF-32LE";
  if (nul[0] == most && nul[1] == most && nul[2] == most && nul[3] == 0) return "UTF-32BE";
  if (nul[0] + nul[2] == 0 && 4 * (nul[1] + nul[3]) >= 3 * 2 * most) return "UTF-16LE";
  if (nul[1] + nul[3] == 0 && 4 * (nul[0] + nul[2]) >= 3 * 2 * most) return "UTF-16BE";
  return "";
}

bool is_pickle(std::string_view start) {
  return start.size() > 2 && start[0] == '\x80' && start[1] >= 2 && start[1] <= 5;
}

bool is_bzip2(std::string_view start) {
  constexpr std::string_view kBlock = "1AY&SY";
  return start.substr(std::min<size_t>(4, start.size())).starts_with(kBlock);
}

/// The name of the markup language of a page; empty for other text.
std::string_view markup(std::string_view start) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (start.starts_with(kByteOrderMark)) start.remove_prefix(kByteOrderMark.size());
  start.remove_prefix(std::min(start.find_first_not_of(" \t\r\n"), start.size()));
  const std::string lower = ascii_lower(std::string(start.substr(0, 16)));
  if (lower.starts_with("<!doctype html") || lower.starts_with("<html")) return "HTML";
  return lower.starts_with("<?xml ") ? "XML" : "";
}

}  // namespace

std::string foreign_format(std::string_view start) {
  for (const auto& [signature, text] : kSignatures) {
    if (!start.starts_with(signature)) continue;
    if (signature == "BZh"sv && !is_bzip2(start)) continue;
    return text;
  }
  if (is_pickle(start)) return "is a pickle of Python; write its content as text";
  if (start.substr(std::min<size_t>(257, start.size())).starts_with("ustar")) {
    return "is a tar archive; extract the text from it: tar xf FILE";
  }
  if (const auto encoding = wide_encoding(start); !encoding.empty()) {
    return "is " + std::string(encoding) + " text; convert it: iconv -f " + std::string(encoding) +
           " -t UTF-8 FILE > NEW";
  }
  if (const auto language = markup(start); !language.empty()) {
    return "is a page of " + std::string(language) +
           ", perhaps a server's message; download the file itself, or extract the text from it";
  }
  return "";
}

void refuse_foreign_format(const std::string& path, std::string_view start) {
  const std::string format = foreign_format(start);
  if (!format.empty()) throw DataError("'" + path + "' " + format);
}

}  // namespace lvtext
