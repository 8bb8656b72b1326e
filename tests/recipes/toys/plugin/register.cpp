// Registration of the toys' plug-in.
#include "framework/core/model/plugin.h"

namespace example {

void add_unlikelihood_lm(lvtext::Registries& registries);  // tests/plugin/unlikelihood_lm.cpp

}  // namespace example

namespace toys {

using lvtext::Registries;

void add_image_critic(Registries& registries);    // image_critic.cpp
void add_image_gan(Registries& registries);       // image_gan.cpp
void add_image_scores(Registries& registries);    // image_scores.cpp
void add_probe(Registries& registries);           // probe.cpp
void add_reviews_reader(Registries& registries);  // reviews_reader.cpp
void add_shapes_reader(Registries& registries);   // shapes_reader.cpp
void add_style_scores(Registries& registries);    // style_scores.cpp
void add_text_cnn(Registries& registries);        // text_cnn.cpp
void add_transfer(Registries& registries);        // transfer.cpp
void add_vector_decoder(Registries& registries);  // vector_decoder.cpp
void add_word_vectors(Registries& registries);    // word_vectors.cpp

}  // namespace toys

LVTEXT_PLUGIN(registries) {
  example::add_unlikelihood_lm(registries);
  toys::add_image_critic(registries);
  toys::add_image_gan(registries);
  toys::add_image_scores(registries);
  toys::add_probe(registries);
  toys::add_reviews_reader(registries);
  toys::add_shapes_reader(registries);
  toys::add_style_scores(registries);
  toys::add_text_cnn(registries);
  toys::add_transfer(registries);
  toys::add_vector_decoder(registries);
  toys::add_word_vectors(registries);
}
