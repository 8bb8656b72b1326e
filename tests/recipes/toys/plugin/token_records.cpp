// Inference: records of each token of a text under several policies, from one forward pass.
#include "token_records.h"

#include "columns.h"
#include "framework/core/model/plugin.h"
#include "framework/pipeline/inference/inference.h"

namespace toys {

using namespace lvtext;

struct TokenRecordsOptions {
  Parts<PolicyOptions> policies;

  template <class V>
  void visit(V& v) {
    v.field("policies", policies, "parts of the result, with one token policy each", required(),
            not_empty());
  }
};

/// A row for each token, including EOS: "gold", "sparsemax", "support" and "expected"
/// (TokenRecords) and "vocabulary", its size.
class Records : public InferenceOfParts {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kDataset;
  static constexpr const char* kParts = "policies";
  explicit Records(const TokenRecordsOptions& options) : options_(options) {}

  std::vector<NamedPart> parts() const override { return named_parts(options_.policies); }
  std::vector<InputDecl> inputs() const override {
    return {{.name = "model",
             .help = "model that scores the next token",
             .type = ArtifactType::kModel,
             .by_default = reference("row.model"),
             .capabilities = {NextTokenModel::kName},
             .without = {Encoder::kName}},
            {.name = "text", .help = "sentences", .by_default = reference("data.test")}};
  }

  std::vector<Inferred> run_parts(const Inputs& inputs, const std::vector<size_t>& parts,
                                  const Notify&) const override {
    auto& model = inputs.serve<NextTokenModel>("model");
    const TokenScores scores =
        token_scores(model, pad_sentences(ids_for(inputs.model("model"), inputs.text("text"))));
    std::vector<Inferred> all;
    for (const size_t part : parts) {
      const TokenRecords records =
          token_records(options_.policies.all[part].options, model, scores);
      const auto column = [](const char* name, const at::Tensor& values) {
        return InferredColumn{.decl = {.name = name, .kind = ColumnKind::kNumber},
                              .values = values.to(at::kFloat).contiguous()};
      };
      const at::Tensor vocabulary =
          at::full_like(records.gold, static_cast<double>(model.vocabulary().size));
      all.push_back(
          {.columns = {column("gold", records.gold), column("sparsemax", records.sparsemax),
                       column("support", records.support), column("expected", records.expected),
                       column("vocabulary", vocabulary)}});
    }
    return all;
  }

 private:
  TokenRecordsOptions options_;
};

void add_token_records(Registries& registries) {
  add_inference<Records, TokenRecordsOptions>(
      registries, "toy_token_records", "Records of each token of a text under several policies",
      {});
}

}  // namespace toys
