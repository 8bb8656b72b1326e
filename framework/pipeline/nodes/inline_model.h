// Models written as the value of an input: trained for this input only, or loaded from published
// files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "framework/core/model/registries.h"
#include "framework/core/options/options.h"
#include "framework/pipeline/graph/graph.h"
#include "framework/pipeline/nodes/data_nodes.h"
#include "trainers/options.h"

namespace lvtext {

/// The training text of an inline model.
struct InlineText {
  std::string from;     ///< a reference
  int64_t at_most = 0;  ///< maximum number of sentences; 0: all

  template <class V>
  void visit(V& v) {
    v.field("from", from, "a text: data.train, row.samples", required(), not_empty());
    v.field("at_most", at_most, "maximum number of sentences, from the first; 0: all", at_least(0));
  }
};

/// A parsed inline model.
struct InlineModel {
  Configured model;
  TrainOptions train;  ///< its options; seed, device, deterministic: the recipe's
  /// Training data: a text, or a data block.
  std::optional<InlineText> text;
  std::optional<DataBlock> data;
  std::string validate_on;
  bool is_imported = false;  ///< not trained: imported, or a finished run
  /// Of an imported model: a safetensors file, or an exported model (exported_model.h) with its own
  /// tokenizer; empty: it consists of its tokenizer's vectors.
  GivenFile weights;
  std::filesystem::path run = {};  ///< the folder of a finished model; empty: none

  /// True for an import that has its own options and tokenizer.
  bool is_exported() const { return is_imported && !data && run.empty(); }

  /// Validation text as shown in reports; empty: the last weights are used, or its data block has a
  /// validation split.
  std::string selected_on() const;
};

/// Value of `validate_on`: the model's own text.
inline constexpr const char* kOwnText = "own";
/// Share of its own text that is held out for kOwnText.
inline constexpr double kHeldOut = 0.05;

/// Context of an inline model.
struct InlineContext {
  std::string name;  ///< name of its node, and prefix of others
  int64_t seed = 0;  ///< seed of a model that is trained on a text
  DataLocations locations;
  std::string config;  ///< the resolved recipe
  /// Node of a text and its number of sentences (0: unknown before the node is finished).
  struct Source {
    std::string node;
    int64_t sentences = 0;
  };
  Source text = {};        ///< training text, if the model has one
  std::string valid = {};  ///< node of its validation text; empty: kOwnText
};

/// Adds the nodes of an inline model and returns the name of the model's node. `registries` must
/// outlive the graph.
std::string add_inline_model(Graph& graph, const Registries& registries, const InlineModel& model,
                             const InlineContext& context);

}  // namespace lvtext
