#include "framework/core/options/given_file.h"

namespace lvtext {
namespace {

/// The mapping form.
struct FileOfSet {
  std::string set, file;

  template <class V>
  void visit(V& v) {
    v.field("set", set, "name of a data set (`lvtext data list`)", required(), not_empty());
    v.field("file", file, "name of one of its files", required(), not_empty());
  }
};

}  // namespace

bool read_option(const options_detail::ParseContext& context, GivenFile& value) {
  if (!context.node.is_mapping()) {
    value = {};
    return options_detail::read(context, value.path);
  }
  FileOfSet named;
  if (!options_detail::read_value(context, named)) return false;
  value = {.path = "", .set = named.set, .file = named.file};
  return true;
}

Node write_option(const GivenFile& value) {
  if (value.set.empty()) return options_detail::write(value.path);
  return to_node(FileOfSet{value.set, value.file});
}

TypeSchema option_type(const GivenFile&) {
  return {TypeSchema::Kind::kAny, {}, {}, {}};
}

}  // namespace lvtext
