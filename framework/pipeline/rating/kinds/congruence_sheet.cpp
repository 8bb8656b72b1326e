// Rating sheet: whether an image agrees with its caption.
#include "framework/pipeline/rating/add_sheet.h"

namespace lvtext {

void register_congruence_sheet(Registries& registries) {
  // The clinician's questions of Spinks and Moens 2018, Table 3.
  Aspect congruence =
      choice_aspect("congruence", "Does the image agree with the caption?", {"c", "n", "u"});
  congruence.anchors = {{1, "congruent"}, {2, "not congruent"}, {3, "unclear"}};
  congruence.opposed = true;
  add_sheet(registries, "congruence",
            "whether images agree with their captions, and look generated",
            {"Spinks and Moens 2018", "https://aclanthology.org/W18-5405"},
            {{.name = "captions",
              .help = "captions of the images; of several captions of an image, the first"},
             {.name = "image",
              .help = "the rated images",
              .type = ArtifactType::kDataset,
              .by_default = reference("row.images")}},
            {.aspects = {std::move(congruence),
                         choice_aspect("generated", "Is the image clearly generated, not real?",
                                       {"yes", "no"})},
             .each = 25});
}

}  // namespace lvtext
