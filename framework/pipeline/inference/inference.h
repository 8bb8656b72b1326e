// The interface of inference components: a model applied to data.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/datasets/column.h"
#include "framework/core/model/component.h"
#include "framework/core/model/inputs.h"

namespace lvtext {

/// A column of results.
struct InferredColumn {
  ColumnDecl decl;
  /// All items, on the CPU: labels int [N], numbers float [N], vectors float [N, D], images uint8
  /// [N, C, H, W]; undefined for texts.
  at::Tensor values = {};
  Text text = {};                  ///< for texts: sentences with their ids
  std::vector<int64_t> rows = {};  ///< for a ragged column: index of each row's first item, and N
};

/// A column of numbers, float [N]; ragged if `rows` (InferredColumn::rows) is not empty.
inline InferredColumn number_column(const std::string& name, const at::Tensor& values,
                                    std::vector<int64_t> rows = {}) {
  return {.decl = {.name = name, .kind = ColumnKind::kNumber, .ragged = !rows.empty()},
          .values = values,
          .rows = std::move(rows)};
}

/// A column of vectors, float [N, D]; `rows` as above.
inline InferredColumn vector_column(const std::string& name, const at::Tensor& values,
                                    std::vector<int64_t> rows = {}) {
  return {.decl = {.name = name,
                   .kind = ColumnKind::kVector,
                   .shape = {values.size(1)},
                   .ragged = !rows.empty()},
          .values = values,
          .rows = std::move(rows)};
}

/// A column of texts; `rows` as above.
inline InferredColumn text_column(const std::string& name, Text text,
                                  std::vector<int64_t> rows = {}) {
  return {.decl = {.name = name, .ragged = !rows.empty()},
          .text = std::move(text),
          .rows = std::move(rows)};
}

/// Results of inference. Empty members are not written.
struct Inferred {
  Text text;                                       ///< column "text" of a data set
  std::map<std::string, at::Tensor> tensors = {};  ///< on the CPU
  std::vector<InferredColumn> columns = {};        ///< columns of the same dataset as `text`
  nlohmann::ordered_json metadata = nlohmann::ordered_json::object();  ///< for the report
};

/// An inference component, for recipes and the command line. Derived classes also have `static
/// constexpr int kRevision`, which is increased whenever the same inputs give different results,
/// and `static constexpr ArtifactType kGives`, the type of the result. A component with one row for
/// each row of an input names that input by `static constexpr const char* kRowsOf`.
class Inference {
 public:
  virtual ~Inference() = default;
  virtual std::vector<InputDecl> inputs() const = 0;
  /// Random numbers depend only on the options and the index of a sentence. Runs without gradients.
  virtual Inferred run(const Inputs& inputs, const Notify& progress) const = 0;
};

/// An inference component with several named results (parts), computed in one pass over the data.
/// Derived classes also have `static constexpr const char* kParts`, the name of the option that
/// lists the parts, a field of type Parts<T> (framework/core/options/parts.h).
class InferenceOfParts : public Inference {
 public:
  /// The parts requested by the options, in order: named_parts() of that field.
  virtual std::vector<NamedPart> parts() const = 0;
  /// Computes the results of the parts with these indices in parts(), in one pass and in order.
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
