// The key `data` of a training: references to the data of its streams.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/core/model/stream_decl.h"
#include "framework/core/options/errors.h"
#include "framework/core/options/node.h"

namespace lvtext {

/// The references in a training's data, by stream, side and part (StreamSource).
using StreamReferences = std::map<std::string, std::vector<std::vector<Node>>>;

/// Parses `data`, whose path is `path`: a source of the stream "train", or a source per stream by
/// name. A source is a reference, a list of references whose columns are joined row by row, or
/// {zip: [source, source, ...]}, which combines two or more of these as sides. Adds mistakes to
/// `errors`. References are not resolved.
StreamReferences read_stream_references(const Node& data, Errors& errors, const std::string& path);

/// Reports streams that the model does not declare, and at `location` declared streams without
/// data. Streams that reuse the rows of another one need none.
void check_streams(const StreamReferences& references, const std::vector<StreamDecl>& declared,
                   const SourceLocation& location, Errors& errors, const std::string& path);

}  // namespace lvtext
