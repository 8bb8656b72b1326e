// The interface of kinds of figures.
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

/// Rows that a kind's options specify instead of the key `rows`.
struct NamedRows {
  std::string name;  ///< name in the figure; empty: as written
  Node written;      ///< an id, a pattern, or a list of these
};

/// Requirements of a kind of figure besides its inputs. References are nodes, so that mistakes are
/// reported at their locations; null nodes are ignored.
struct FigureNeeds {
  bool takes_rows = true;       ///< uses the key `rows`, unless the options specify rows
  std::vector<NamedRows> rows;  ///< each is a line of a chart
  /// The text matched by `*` in the rows' patterns must be a number, the position on an axis.
  bool numbered = false;
  std::vector<Node> metrics;  ///< scores of each of the rows: `bleu`, `rep[test].wrep`
  /// Each of `metrics` is a pattern with one `*`, `distinct[*]`, whose values are numbers: the
  /// scores of all its members.
  bool members = false;
  bool at_checkpoints = false;        ///< also these scores and the inputs at each kept checkpoint
  std::vector<Node> row_free;         ///< metrics that use no row: ids and patterns
  std::optional<size_t> stars;        ///< required number of stars in each of `row_free`
  std::vector<std::string> pictures;  ///< names of inputs that are datasets of images
};

/// A kind of figure. Derived classes also have `static constexpr int kRevision`. The framework
/// resolves rows, seeds, references and files. Inputs are filled for each row of the figure, or
/// once without rows. Expensive computations belong in inference components, which run in the
/// graph; figures are drawn for each report.
class FigureKind {
 public:
  virtual ~FigureKind() = default;
  /// The inputs that draw() reads, a function of the options alone.
  virtual std::vector<InputDecl> inputs() const { return {}; }
  /// The rows and metrics that draw() reads, a function of the options alone. Called when the
  /// recipe is checked, so that unknown names are reported at their locations and their scores are
  /// computed before the figure is drawn.
  virtual FigureNeeds needs() const { return {}; }
  /// Draws the figure, including missing parts with their reasons. If it throws an Error, the
  /// message is shown in place of the figure.
  virtual Figure draw(const FigureData& data) const = 0;
};

/// Reference to a text of each row by name: "outputs" is `row.outputs`, with the location of
/// `written`; values with a period or brackets are references already.
Node row_reference(const Node& written);
/// The items of a list; a scalar is a list of one item, null an empty list.
std::vector<Node> listed(const Node& node);

}  // namespace lvtext
