#include "framework/pipeline/check/stream_references.h"

#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

constexpr const char* kZip = "zip";
constexpr const char* kSourceHelp =
    "a source is a reference (data.train), a list of references, whose columns are joined, or "
    "{zip: [source, source]}";

/// Parses one side of a source: a reference or a list of references.
std::vector<Node> read_side(const Node& side, Errors& errors, const std::string& path) {
  if (side.is_scalar()) return {side};
  std::vector<Node> parts;
  for (const Node& part : side.items()) {
    if (part.is_scalar()) {
      parts.push_back(part);
    } else {
      errors.add(part.location(), path + ": not a reference", kSourceHelp);
    }
  }
  if (side.items().empty()) errors.add(side.location(), path + ": not a source", kSourceHelp);
  return parts;
}

std::vector<std::vector<Node>> read_source(const Node& source, Errors& errors,
                                           const std::string& path) {
  const Node* zip = source.find(kZip);
  if (!zip) return {read_side(source, errors, path)};
  for (const auto& entry : source.entries()) {
    if (entry.key == kZip) continue;
    errors.add(entry.key_location, path + "." + entry.key + ": unknown key",
               "the only allowed key is zip");
  }
  std::vector<std::vector<Node>> sides;
  for (const Node& side : zip->items()) sides.push_back(read_side(side, errors, path + ".zip"));
  if (zip->items().size() < 2) {
    errors.add(zip->location(), path + ".zip must be a list of at least two sources",
               "zip combines sources with unaligned rows: zip: [data.train, data.valid]");
  }
  return sides;
}

}  // namespace

StreamReferences read_stream_references(const Node& data, Errors& errors, const std::string& path) {
  if (!data.is_mapping() || data.find(kZip)) return {{"train", read_source(data, errors, path)}};
  StreamReferences references;
  for (const auto& entry : data.entries()) {
    references[entry.key] = read_source(entry.value, errors, path + "." + entry.key);
  }
  if (data.entries().empty()) errors.add(data.location(), path + ": no streams", kSourceHelp);
  return references;
}

void check_streams(const StreamReferences& references, const std::vector<StreamDecl>& declared,
                   const SourceLocation& location, Errors& errors, const std::string& path) {
  std::vector<std::string> names;
  for (const StreamDecl& stream : declared) {
    if (!stream.rows_of.empty()) continue;
    names.push_back(stream.name);
    if (references.contains(stream.name)) continue;
    errors.add(location,
               path + ": the model reads a stream '" + stream.name + "', which has no data",
               "add " + path + "." + stream.name);
  }
  for (const auto& [stream, sides] : references) {
    if (contains(names, stream)) continue;
    const auto meant = nearest(stream, names);
    const bool has_mark = !sides.empty() && !sides.front().empty();
    errors.add(has_mark ? sides.front().front().location() : location,
               path + ": the model reads no stream " + shown(stream),
               meant ? "did you mean '" + *meant + "'?" : "it reads " + join(names));
  }
}

}  // namespace lvtext
