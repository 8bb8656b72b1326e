// Values of the inputs of a recipe's components: references, inline models and inline components.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "framework/core/model/component.h"
#include "framework/core/options/errors.h"
#include "framework/core/options/node.h"
#include "framework/pipeline/check/checked_data.h"
#include "framework/pipeline/check/checked_references.h"
#include "framework/pipeline/check/names.h"
#include "framework/pipeline/nodes/data_nodes.h"
#include "framework/pipeline/nodes/inline_model.h"
#include "trainers/options.h"

namespace lvtext {

struct InlineComponent;

/// A model that is written as the value of an input.
struct CheckedModel {
  InlineModel model;
  std::optional<KnownReference> text;         ///< its training text, if it has one
  std::optional<KnownReference> validate_on;  ///< its validation text; none: its own text, or data

  /// True if its training or validation text depends on a row.
  bool uses_row() const;
};

/// The value of an input: a reference, an inline model, or another inline component.
using Filling = std::variant<KnownReference, CheckedModel, std::shared_ptr<const InlineComponent>>;

/// The values of one input of a component.
struct CheckedInput {
  InputDecl decl;
  bool is_written = false;        ///< true: set by the entry; false: the input's default
  std::vector<Filling> fillings;  ///< values; empty: unset
};

/// `{infer: NAME, ..., inputs: {...}}` or `{fit: NAME, ..., inputs: {...}}`.
struct InlineComponent {
  Configured component;
  std::vector<CheckedInput> inputs;
  Node written = Node::mapping({});  ///< the component's own options as written
  /// For texts generated for a row: generated from each kept checkpoint of its training, if any.
  bool at_checkpoints = false;
};

/// True if one of these inputs depends on the scored row.
bool uses_row(const std::vector<CheckedInput>& inputs);

/// What the values of a component's inputs may refer to.
struct InputScope {
  bool of_row = false;      ///< values of the scored row
  bool whole_sets = false;  ///< data sets without a split
};

/// The `inputs` of an entry. `data` is the value of the input of that name or, without one, of the
/// first text input without a value; `model` next to `infer` is the value of `model`. Trained
/// models have streams instead of `data`.
Node inputs_of(const Configured& component, const Node& entry, bool is_trained);

/// Checks that a model has the right key: `fit` if its tensors are computed without training.
bool check_kind(const Component& model, const Node& entry, const SourceLocation& location,
                Errors& errors);

/// Reports a fitted model without inputs, which can only be imported.
void check_fitted(const Configured& model, const SourceLocation& location, Errors& errors);

/// Checks that `stop` is not a time if schedules depend on the planned number of updates.
/// `written`: the node that `train` was parsed from.
void check_stop(const TrainOptions& train, const Node& written, const SourceLocation& location,
                const std::string& path, Errors& errors);

/// Reads the inputs of components.
class InputParser {
 public:
  /// `train`: the recipe's training options, for seed, device and `deterministic` of inline models.
  /// All arguments must outlive it.
  InputParser(const CheckContext& context, const DataSets& data, References& references,
              const TrainOptions& train)
      : context_(context), data_(data), references_(references), train_(train) {}

  /// Reads all inputs of a component from `written`, a mapping at `path`; adds errors.
  std::vector<CheckedInput> read(const Configured& component, const Node& written,
                                 const SourceLocation& location, InputScope scope,
                                 const std::string& path);
  /// Reads `{infer: NAME}` or `{fit: NAME}`, or adds an error and returns null. `any_type`: the
  /// result of inference may have another type than the input.
  std::shared_ptr<const InlineComponent> read_inline(const InputDecl& input, const Node& written,
                                                     const SourceLocation& location,
                                                     InputScope scope, const std::string& path,
                                                     bool any_type = false);

 private:
  CheckedInput read_input(const InputDecl& input, const Node& written,
                          const SourceLocation& location, InputScope scope,
                          const std::string& path);
  /// Adds a reference, an inline model or an inline component.
  void add_value(const Node& value, const SourceLocation& location, InputScope scope,
                 const std::string& path, CheckedInput& to);
  void add_reference(const Node& written, const SourceLocation& location, InputScope scope,
                     const std::string& path, CheckedInput& to);
  /// Reads an inline model, or adds errors.
  std::optional<CheckedModel> read_model(const InputDecl& input, const Node& written,
                                         const SourceLocation& location, InputScope scope,
                                         const std::string& path);
  /// Reads a text that an inline model names; none with an error, which may be one of the data set
  /// or entry that it names.
  std::optional<KnownReference> read_text(const std::string& text, const SourceLocation& location,
                                          InputScope scope, const std::string& path);
  /// Checks the options of the data block of an inline model.
  void check_block(const DataBlock& data, const Node& written, const SourceLocation& location,
                   const std::string& path);

  CheckContext context_;
  const DataSets& data_;
  References& references_;
  const TrainOptions& train_;
};

}  // namespace lvtext
