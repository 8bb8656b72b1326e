// What all kinds of figures have in common, and what they ask of a recipe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/model/component.h"
#include "framework/core/options/node.h"

namespace lvtext {

struct Figure;
struct FigureData;

/// Rows that a kind's options name in the place of `rows`.
struct NamedRows {
  std::string name;  ///< as the figure calls them; empty: as they are written
  Node written;      ///< an id, a pattern, or a list of these
};

/// What a kind of figure asks of the recipe beside its inputs. References are nodes with their
/// places, so that a mistake is reported where it is written; a node that is null asks for nothing.
struct FigureNeeds {
  bool takes_rows = true;       ///< by the figure's key `rows`, unless the options name `rows`
  std::vector<NamedRows> rows;  ///< each is a line of a chart
  /// What `*` matches in the rows' patterns must be a number: their place on an axis.
  bool numbered = false;
  std::vector<Node> metrics;          ///< scores of each of the rows: `bleu`, `rep[test].wrep`
  bool at_checkpoints = false;        ///< these scores, and the inputs, at each kept checkpoint too
  std::vector<Node> row_free;         ///< metrics that use no row: ids and patterns
  std::optional<size_t> stars;        ///< each of `row_free` must have so many
  std::vector<std::string> pictures;  ///< names of the inputs that are data sets of images
};

/// A class that derives from it has, besides what is below, `static constexpr int kRevision`. The
/// recipe's part is the framework's: rows, seeds, references, files. Inputs are filled for each row
/// that the figure names, or once where it names none, so that what takes time is inference, and
/// runs in the graph; drawing is done with the report, each time.
class FigureKind {
 public:
  virtual ~FigureKind() = default;
  virtual std::vector<InputDecl> inputs() const { return {}; }
  virtual FigureNeeds needs() const { return {}; }
  /// The whole figure. What is missing stands in it with its reason; an Error that is thrown stands
  /// in the figure's place.
  virtual Figure draw(const FigureData& data) const = 0;
};

/// The text of each row by its name: "outputs" is `row.outputs`, with the place of `written`; what
/// has a point or brackets is a reference as it stands.
Node row_reference(const Node& written);
/// The items of a list; a lone value is a list of one, null of none.
std::vector<Node> listed(const Node& node);

}  // namespace lvtext
