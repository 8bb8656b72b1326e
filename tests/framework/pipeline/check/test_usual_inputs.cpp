// Inputs of components with default options.
#include "framework/pipeline/check/usual_inputs.h"

#include "tests/framework/pipeline/check/loaded_recipe.h"

using namespace lvtext;

TEST_CASE("usual inputs: those of default options, none for required options", "[check]") {
  const auto names_of = [](const Component& component) {
    std::vector<std::string> names;
    for (const InputDecl& input : usual_inputs(component)) names.push_back(input.name);
    return names;
  };
  using Names = std::vector<std::string>;
  const Registries& all = registries();
  CHECK(names_of(all.evaluators.get("bleu")) == Names{"outputs", "references"});
  CHECK(names_of(all.evaluators.get("reverse_cross_entropy")) ==
        Names{"language_model", "samples"});
  CHECK(names_of(all.inference.get("reconstructions")) == Names{"model", "text"});
  CHECK(names_of(all.models.get("vae")).empty());
  CHECK(names_of(all.inference.get("token_records")).empty());  // `policies` is required
  const InputDecl outputs = usual_inputs(all.evaluators.get("bleu")).front();
  CHECK(outputs.by_default.text() == "row.reconstructions");
}

TEST_CASE("usual inputs: models that do not fit, and texts that are generated on demand",
          "[check]") {
  const Registries& all = registries();
  const InputDecl encoded = usual_inputs(all.inference.get("reconstructions")).front();
  CHECK(model_mismatch(encoded, all.models.get("vae")).empty());
  CHECK(model_mismatch(encoded, all.models.get("rnn_lm")) ==
        "the model 'rnn_lm' lacks the capability encoder; it has next_token_model, text_scorer");
  const InputDecl scorer = usual_inputs(all.evaluators.get("reverse_cross_entropy")).front();
  CHECK(model_mismatch(scorer, all.models.get("rnn_lm")).empty());
  InputDecl no_scorer = scorer;
  no_scorer.capabilities = {};
  no_scorer.without = {"text_scorer"};
  CHECK(model_mismatch(no_scorer, all.models.get("rnn_lm")) ==
        "the model 'rnn_lm' has the capability text_scorer, which language_model excludes; it has "
        "next_token_model, text_scorer");
  Component nothing;
  nothing.about.name = "nothing";
  CHECK(model_mismatch(scorer, nothing) ==
        "the model 'nothing' lacks the capability text_scorer; it has none");
  // Not `copy`, which reads no row, nor `replies` and `complete`, with inputs without defaults.
  CHECK(generated_texts(all) ==
        std::vector<std::string>{"interpolations", "reconstructions", "samples", "transfer"});
}
