#include "framework/core/model/registries.h"
#include "models/rnn_lm/rnn_lm.h"
#include "tests/catch.h"
#include "tests/model_inputs.h"

namespace lvtext {
void register_rnn_lm(Registries& registries);
void register_aae(Registries& registries);
void register_arae(Registries& registries);
void register_autoencoder(Registries& registries);
void register_vae(Registries& registries);
}  // namespace lvtext

using namespace lvtext;

namespace {

Node small_model() {
  return Node::mapping({{"size", Node::scalar("small"), {}}});
}

}  // namespace

TEST_CASE("registry: models are built by name and list their capabilities", "[models]") {
  Registries registries;
  register_rnn_lm(registries);
  register_aae(registries);
  register_arae(registries);
  register_autoencoder(registries);
  register_vae(registries);
  CHECK(registries.models.names() ==
        std::vector<std::string>{"aae", "arae", "autoencoder", "rnn_lm", "vae"});
  const Component& lm = registries.models.get("rnn_lm");
  CHECK(lm.capabilities == std::vector<std::string>{"next_token_model", "text_scorer"});
  CHECK(registries.models.get("vae").can("encoder"));
  CHECK_FALSE(lm.can("encoder"));
  const auto model = lm.configure(small_model()).model(testing::model_inputs(20, 1));
  CHECK(model->groups().size() == 2);
}

TEST_CASE("registry: canonical options contain all values", "[models]") {
  Registries registries;
  register_autoencoder(registries);
  const Component& entry = registries.models.get("autoencoder");
  const Node canonical = entry.configure(small_model()).options;
  REQUIRE(canonical.find("latent"));
  CHECK(canonical.find("latent")->find("kind")->text() == "gauss_det");
  CHECK(entry.configure(canonical).options == canonical);
}

TEST_CASE("registry: contradicting options are reported", "[models]") {
  Registries registries;
  register_autoencoder(registries);
  const Node node =
      Node::mapping({{"latent", Node::mapping({{"noise", Node::scalar("0.1"), {}}}), {}},
                     {"decodr", Node::scalar("1"), {}}});
  Errors errors;
  registries.models.get("autoencoder").configure(node, errors, "models.x");
  CHECK(errors.count() == 2);
  CHECK(errors.report().find("noise requires kind sphere") != std::string::npos);
  CHECK(errors.report().find("decoder") != std::string::npos);
}
