// Convolutional sentence classifier (Kim 2014).
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/model/trainable.h"
#include "framework/core/nn/embedding.h"
#include "models/cnn_classifier/max_over_time.h"

namespace lvtext {

struct CnnClassifierOptions {
  std::string label_column = "style";
  int64_t embedding = 100;
  std::vector<int64_t> filter_sizes = {3, 4, 5};
  int64_t filters = 128;
  double negative_slope = 0.01;
  double dropout = 0.5;
  int64_t min_length = 5;
  std::optional<double> max_norm;

  template <class V>
  void visit(V& v) {
    v.field("label_column", label_column, "label column with the classes", not_empty());
    v.field("embedding", embedding, "width of the word vectors", in_range(1, 65536));
    v.field("filter_sizes", filter_sizes, "numbers of words in the windows of the filters",
            in_range(1, 64), not_empty());
    v.field("filters", filters, "number of filters of each size", in_range(1, 65536));
    v.field("negative_slope", negative_slope,
            "slope of the leaky ReLU for negative values; 0: a ReLU", in_range(0, 1));
    v.field("dropout", dropout, "probability of dropping a feature",
            Bounds{0, 1, false, /*high_open=*/true});
    v.field("min_length", min_length,
            "minimum number of tokens; shorter sentences are padded on the left", in_range(1, 64));
    v.field("max_norm", max_norm,
            "maximum norm of the output layer's weights of each class, to which they are rescaled "
            "after an update (3 in Kim 2014); unset: no limit",
            above(0));
    v.check(std::set(filter_sizes.begin(), filter_sizes.end()).size() == filter_sizes.size(),
            "filter_sizes must not repeat a size");
    v.check(std::all_of(filter_sizes.begin(), filter_sizes.end(),
                        [&](int64_t size) { return size <= min_length; }),
            "min_length must be at least the largest of filter_sizes");
  }
};

/// Filters over windows of word vectors, a leaky ReLU, max pooling over time, dropout and a linear
/// layer, as in the code of Shen, Lei, Barzilay and Jaakkola 2017
/// (https://github.com/shentianxiao/language-style-transfer, code/classifier.py) with its initial
/// values. Their code pads every sentence on the left to the longest of its batch, so that a
/// sentence's class depends on the batch. Here each sentence is padded on the left to `min_length`
/// only, as if it were alone in its batch, with BOS or EOS if the tokenizer has no padding.
///
/// Two classes have one output, the logit of class 1, as in their code (a softmax over two outputs
/// represents the same functions with twice the parameters); other numbers of classes have one
/// output each. One phase "classify" with the terms "nll", in nats per sentence, and "error", the
/// share of sentences with a wrong class; only "error" is used for selection.
class CnnClassifier : public Trainable, public TextClassifier {
 public:
  static constexpr int kRevision = 1;
  CnnClassifier(const CnnClassifierOptions& options, const ModelInputs& inputs);

  std::vector<ParamGroup> groups() override;
  std::vector<Phase> phases() const override;
  std::vector<StreamDecl> streams() const override;
  Sums losses(const Phase& phase, const Batches& batches, StepContext& context) override;
  /// Training as in classifier.py of Shen et al. (Adam, learning rate 5e-4, batches of 64, 20
  /// epochs), and early stopping after 3 validations without improvement.
  static Node training();

  int64_t classes() const override { return classes_; }
  at::Tensor classify(const Tokens& sentences) override;

 private:
  /// Features before dropout, [B, C] with C = filters times filter sizes.
  at::Tensor features(const Tokens& sentences) const;
  /// Log-probabilities of the classes, [B, classes].
  at::Tensor log_probabilities(const at::Tensor& features) const;

  CnnClassifierOptions options_;
  int64_t classes_;
  int64_t pad_;
  std::shared_ptr<Embedding> words_;
  std::vector<std::shared_ptr<MaxOverTime>> filters_;
  at::Tensor output_weight_, output_bias_;  ///< [outputs, C], [outputs]
};

}  // namespace lvtext
