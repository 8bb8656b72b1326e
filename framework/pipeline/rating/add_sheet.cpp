#include "framework/pipeline/rating/add_sheet.h"

namespace lvtext {

void set_shown(const std::vector<InputDecl>& inputs, SheetKind& sheet) {
  sheet.shown.clear();
  sheet.pictures.clear();
  for (const InputDecl& input : inputs) {
    sheet.shown.push_back(input.name);
    if (input.type == ArtifactType::kDataset) sheet.pictures.push_back(input.name);
  }
}

void add_sheet(Registries& registries, const std::string& name, const std::string& description,
               PaperSource source, std::vector<InputDecl> inputs, SheetKind sheet, int revision) {
  sheet.name = name;
  set_shown(inputs, sheet);
  Component component = component_of<NoOptions>(
      registries, name, description, std::move(source),
      [inputs = std::move(inputs), kind = std::make_shared<const SheetKind>(std::move(sheet))](
          Configured& configured, const std::shared_ptr<const NoOptions>& /*options*/) {
        configured.inputs = inputs;
        configured.sheet = kind;
      });
  component.revision = revision;
  registries.sheets.add(name, std::move(component), registries.origin());
}

}  // namespace lvtext
