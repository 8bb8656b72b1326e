// Inference component `arithmetic`: vectors of sentences combined by an expression.
#include <ATen/ATen.h>

#include <algorithm>
#include <map>
#include <optional>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/decoding/decoder.h"
#include "framework/core/decoding/sentence_vectors.h"
#include "framework/core/model/registration.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/inference/shared/expression.h"

namespace lvtext {
namespace {

constexpr const char* kWeight = "t";

struct ArithmeticOptions {
  std::string expression = "a - b + c";
  std::vector<std::string> names = {"a", "b", "c"};
  std::vector<std::string> lines;
  std::vector<double> weights;
  int64_t groups = 0;
  bool unit = false;
  std::string name = "embedding";

  template <class V>
  void visit(V& v) {
    v.field("expression", expression,
            "names of sentences, numbers, + - * / and parentheses; t is each of `weights`",
            not_empty());
    v.field("names", names, "names of consecutive sentences, which form a group", not_empty());
    v.field("lines", lines, "sentences, group by group, in place of the input `text`");
    v.field("weights", weights, "values of t; each gives one vector for each group");
    v.field("groups", groups, "number of groups, from the start of the text; 0: all complete ones",
            at_least(0));
    v.field("unit", unit, "divides a result by its L2 norm");
    v.field("name", name, "name of the output column", not_empty());
    v.check(mistake().empty(), mistake());
  }

  /// What is wrong with the expression and its names; empty: nothing.
  std::string mistake() const {
    try {
      const Expression parsed(expression);
      for (const std::string& used : parsed.names()) {
        const bool is_known = std::find(names.begin(), names.end(), used) != names.end();
        const bool is_weight = used == kWeight && !weights.empty();
        if (!is_known && !is_weight) {
          return "the expression uses '" + used + "', which is not among the names " + join(names) +
                 (used == kWeight ? "; set `weights` to its values" : "");
        }
      }
    } catch (const ConfigError& error) {
      return error.what();
    }
    for (size_t i = 0; i < names.size(); ++i) {
      if (std::find(names.begin(), names.begin() + i, names[i]) != names.begin() + i) {
        return "names has '" + names[i] + "' twice";
      }
      if (names[i] == kWeight && !weights.empty()) {
        return "names has 't', which is the name of a weight";
      }
    }
    const auto size = static_cast<int64_t>(names.size());
    if (size > 0 && std::ssize(lines) % size != 0) {
      return "lines has " + std::to_string(lines.size()) + " sentences, but each group has " +
             std::to_string(size) + ": " + join(names);
    }
    return "";
  }
};

/// Encodes sentences, of which each `names.size()` consecutive ones form a group, and computes one
/// vector for each group and each weight, group by group: analogies ("a - b + c"), interpolations
/// ("t*a + (1-t)*b" with 11 weights). Computed in float64, stored in float32.
class Arithmetic : public Inference {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kDataset;
  explicit Arithmetic(const ArithmeticOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {model_input("model that encodes the sentences", {}, {},
                        {Encoder::kName, SentenceEmbedder::kName}),
            {.name = "text",
             .help = "sentences; not used if the option `lines` has some",
             .arity = InputDecl::Arity::kOptional}};
  }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    const LoadedModel& model = inputs.model("model");
    if (options_.lines.empty() && !inputs.has("text")) {
      throw ConfigError("arithmetic: there are no sentences; set `lines` or the input `text`");
    }
    const auto size = std::ssize(options_.names);
    Text text = options_.lines.empty() ? inputs.text("text") : Text(options_.lines);
    int64_t groups = static_cast<int64_t>(text.size()) / size;
    if (options_.groups > 0) groups = std::min(groups, options_.groups);
    const at::Tensor vectors =
        sentence_vectors(model, ids_for(model, text.first(groups * size)), kDecodeBatch)
            .to(at::kDouble);
    const Expression expression(options_.expression);
    const std::vector<double> weights =
        options_.weights.empty() ? std::vector<double>{0} : options_.weights;
    std::vector<at::Tensor> results;
    for (int64_t group = 0; group < groups; ++group) {
      std::map<std::string, at::Tensor> values;
      for (int64_t i = 0; i < size; ++i) values[options_.names[i]] = vectors[group * size + i];
      for (const double weight : weights) {
        if (!options_.weights.empty()) values[kWeight] = at::scalar_tensor(weight, at::kDouble);
        at::Tensor result = expression.value(values).expand({vectors.size(1)});
        if (options_.unit) result = result / result.norm().clamp_min(1e-12);
        results.push_back(result);
      }
    }
    const at::Tensor all = results.empty() ? at::empty({0, vectors.size(1)})
                                           : at::stack(results).to(at::kFloat).contiguous();
    check_finite_vectors(all);
    return {.columns = {vector_column(options_.name, all)},
            .metadata = {{"groups", groups}, {"count", all.size(0)}}};
  }

 private:
  ArithmeticOptions options_;
};

}  // namespace

void register_arithmetic(Registries& registries) {
  add_inference<Arithmetic, ArithmeticOptions>(
      registries, "arithmetic", "Vectors of sentences combined by an expression", {});
}

}  // namespace lvtext
