#include <ATen/ATen.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "evaluators/senteval/classification.h"
#include "evaluators/senteval/senteval_evaluator.h"
#include "framework/core/base/error.h"
#include "tests/benchmarks/setup.h"

namespace lvtext::benchmarks {

void serve_senteval() {
  const SentevalOptions options;
  for (std::string file; std::getline(std::cin, file);) {
    const TensorMap data = read_safetensors(file).tensors;
    const at::Tensor& label = data.at("classes");
    const at::Tensor all = at::ones_like(label, at::kBool);
    const ClassifiedTask task{label, label.max().item<int64_t>() + 1, all, ~all, ~all};
    const Clock before = now();
    const Classified result =
        classify(data.at("features"), task, options.folds, options.l2, options.training);
    const Clock after = now();
    const at::Tensor is_right = result.predicted.eq(label).to(at::kDouble) * 100;
    const auto* folds = result.folds.const_data_ptr<int64_t>();
    const nlohmann::ordered_json answer = {
        {"seconds", after.wall - before.wall},
        {"cpu", after.cpu - before.cpu},
        {"accuracy", is_right.mean().item<double>()},
        {"first", is_right.masked_select(result.folds.eq(0)).mean().item<double>()},
        {"folds", std::vector<int64_t>(folds, folds + result.folds.numel())}};
    std::cout << answer.dump() << std::endl;
  }
}

}  // namespace lvtext::benchmarks
