#include "framework/core/model/required_field.h"

#include <optional>
#include <vector>

#include "framework/core/base/strings.h"

namespace lvtext {

const ColumnDecl& required_field(const ModelInputs& inputs, const std::string& stream,
                                 const std::string& name, ColumnKind kind) {
  const ColumnDecl* found = inputs.find(stream, name);
  if (found && found->kind == kind) return *found;
  std::vector<std::string> have, fitting;
  if (const auto fields = inputs.streams.find(stream); fields != inputs.streams.end()) {
    for (const auto& each : fields->second) {
      have.push_back(each.name + " (" + enum_name(each.kind) + ")");
      if (each.kind == kind) fitting.push_back(each.name);
    }
  }
  const auto near = nearest(name.substr(0, 100), fitting);
  throw MissingField("the data of the stream '" + stream + "' has no " + enum_name(kind) + " '" +
                     name + (near ? "'; did you mean '" + *near + "'? It has " : "'; it has ") +
                     (have.empty() ? "no fields" : join(have)));
}

}  // namespace lvtext
