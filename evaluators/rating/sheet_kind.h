// What people can be asked about text: the kinds of rating sheets, by name.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/model/registries.h"

namespace lvtext {

/// A question that is answered with a whole number.
struct Aspect {
  std::string id;        ///< its column in sheets and answers, lower_snake
  std::string question;  ///< as raters read it
  int lowest = 1, highest = 5;
  std::vector<std::pair<int, std::string>> anchors;  ///< what some of the numbers mean

  /// "1 gibberish, 5 natural".
  std::string scale() const;
};

/// What a sheet asks, and what raters see of an item.
struct SheetKind {
  std::string name;                ///< of the sheet: its folder, and what the key calls it
  std::vector<std::string> shown;  ///< columns of the sheet: the names of its inputs, in order
  std::vector<Aspect> aspects;     ///< asked in this order
  std::string sorted_by;           ///< the aspect that comes first in tables and orders their rows

  /// Throws std::out_of_range if there is none.
  const Aspect& aspect(const std::string& id) const;
};

/// Adds `Class`, built as Class(const Options&), with its `kRevision`, inputs() (the texts of an
/// item, the rated one last), aspects() and sorted_by().
template <class Class, class Options>
void add_sheet(Registries& registries, const std::string& name, const std::string& description,
               PaperSource source) {
  Component component = component_of<Options>(
      registries, name, description, std::move(source),
      [name](Configured& configured, const std::shared_ptr<const Options>& options) {
        const Class kind(*options);
        configured.inputs = kind.inputs();
        SheetKind sheet{name, {}, kind.aspects(), kind.sorted_by()};
        for (const InputDecl& input : configured.inputs) sheet.shown.push_back(input.name);
        configured.sheet = std::make_shared<const SheetKind>(std::move(sheet));
      });
  component.revision = Class::kRevision;
  registries.sheets.add(name, std::move(component), registries.origin());
}

}  // namespace lvtext
