// Options that list named parts of a component's results.
//
//   Parts<PolicyOptions> policies;   // a field of options
//
//   policies: {greedy: {}, k: {k: [5, 10]}}      # the parts greedy, k_5 and k_10
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "framework/core/options/options.h"

namespace lvtext {

/// A part with its options.
template <class T>
struct Part {
  std::string id;  ///< "k_5"
  T options;
};

/// Parts by id, in the order of the file. An option that is a list gives one part per element,
/// named `<id>_<element>` as written; a part has at most one such option.
template <class T>
struct Parts {
  std::vector<Part<T>> all;
};

namespace options_detail {

/// A part as written, after expanding lists.
struct WrittenPart {
  std::string id;
  Node options;
  SourceLocation location;
};
/// Expands lists. Adds mistakes to the errors of `context`: a value that is not a mapping, a part
/// with two lists, invalid and duplicate ids.
std::vector<WrittenPart> written_parts(const ParseContext& context);

}  // namespace options_detail

template <class T>
bool read_option(const options_detail::ParseContext& context, Parts<T>& value) {
  const size_t before = context.errors.count();
  Parts<T> read;
  for (const options_detail::WrittenPart& part : options_detail::written_parts(context)) {
    T options{};
    options_detail::read_value({part.options, options_detail::child_path(context.path, part.id),
                                context.rules, context.errors, part.location},
                               options);
    read.all.push_back({part.id, std::move(options)});
  }
  if (context.errors.count() != before) return false;
  value = std::move(read);
  return true;
}

template <class T>
Node write_option(const Parts<T>& value) {
  std::vector<Node::Entry> entries;
  for (const Part<T>& part : value.all) entries.push_back({part.id, to_node(part.options), {}});
  return Node::mapping(std::move(entries));
}

template <class T>
TypeSchema option_type(const Parts<T>&) {
  return {TypeSchema::Kind::kMap, {}, {}, {{TypeSchema::Kind::kAny, {}, {}, {}}}};
}

}  // namespace lvtext
