// Registers kinds of rating sheets.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/model/registration.h"
#include "framework/pipeline/rating/sheet_kind.h"

namespace lvtext {

/// Sets the columns of a sheet: texts, and datasets of images, which are shown as pictures.
void set_shown(const std::vector<InputDecl>& inputs, SheetKind& sheet);

/// Registers a kind without options. `inputs` are the texts and images of an item, the rated one
/// last; `sheet` is without name and shown texts.
void add_sheet(Registries& registries, const std::string& name, const std::string& description,
               PaperSource source, std::vector<InputDecl> inputs, SheetKind sheet,
               int revision = 1);

/// Registers `Class`, which is constructed as Class(const Options&) and has `kRevision`, inputs()
/// (the texts and images of an item, the rated one last) and kind(), without name and shown texts.
template <class Class, class Options>
void add_sheet(Registries& registries, const std::string& name, const std::string& description,
               PaperSource source) {
  Component component = component_of<Options>(
      registries, name, description, std::move(source),
      [name](Configured& configured, const std::shared_ptr<const Options>& options) {
        const Class of_options(*options);
        configured.inputs = of_options.inputs();
        SheetKind sheet = of_options.kind();
        sheet.name = name;
        set_shown(configured.inputs, sheet);
        configured.sheet = std::make_shared<const SheetKind>(std::move(sheet));
      });
  component.revision = Class::kRevision;
  registries.sheets.add(name, std::move(component), registries.origin());
}

}  // namespace lvtext
