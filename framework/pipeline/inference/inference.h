// What all inference components have in common: a model used on data.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/data/column.h"
#include "framework/core/model/component.h"
#include "framework/core/model/inputs.h"

namespace lvtext {

/// A column that inference leaves.
struct InferredColumn {
  ColumnDecl decl;
  /// Of all items, on the CPU: of labels int [N], of numbers float [N], of vectors float [N, D], of
  /// images uint8 [N, C, H, W]; undefined for a text.
  at::Tensor values = {};
  Text text = {};                  ///< of a text: its sentences with their ids
  std::vector<int64_t> rows = {};  ///< of a ragged column: where its rows begin in the items, and N
};

/// What inference leaves. Whatever is empty is not left.
struct Inferred {
  Text text;                                       ///< the column "text" of a dataset
  std::map<std::string, at::Tensor> tensors = {};  ///< on the CPU
  std::vector<InferredColumn> columns = {};        ///< of one dataset, that of `text` too
  nlohmann::ordered_json metadata = nlohmann::ordered_json::object();  ///< for the report
};

/// A class that derives from it has, besides what is below, `static constexpr int kRevision`,
/// raised whenever the same inputs give other results, and `static constexpr ArtifactType kGives`,
/// the type of what it leaves. One that leaves a row for each row of an input names that input by
/// `static constexpr const char* kRowsOf`. A run graph and the command line run the same
/// components.
class Inference {
 public:
  virtual ~Inference() = default;
  virtual std::vector<InputDecl> inputs() const = 0;
  /// Random numbers are functions of the options and of a sentence's number alone. No gradients are
  /// computed.
  virtual Inferred run(const Inputs& inputs, const Notify& progress) const = 0;
};

/// Inference that leaves several results, of which recipes name each as a part: one pass over the
/// data serves all of them. A class that derives from it has, besides, `static constexpr const
/// char* kParts`, the option that lists them, a field of type Parts<T>
/// (framework/core/options/parts.h).
class InferenceOfParts : public Inference {
 public:
  /// All that the options ask for, in their order: named_parts() of that field.
  virtual std::vector<NamedPart> parts() const = 0;
  /// The results of the parts with these indices in parts(), in one pass; in their order.
  virtual std::vector<Inferred> run_parts(const Inputs& inputs, const std::vector<size_t>& parts,
                                          const Notify& progress) const = 0;

 private:
  Inferred run(const Inputs& inputs, const Notify& progress) const final {
    std::vector<size_t> all(parts().size());
    std::iota(all.begin(), all.end(), size_t{0});
    return std::move(run_parts(inputs, all, progress).front());
  }
};

}  // namespace lvtext
