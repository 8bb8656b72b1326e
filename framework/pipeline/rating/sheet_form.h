// Renders a rating sheet as a standalone HTML form.
#pragma once

#include <string>
#include <vector>

#include "framework/pipeline/rating/rated_examples.h"
#include "framework/pipeline/rating/sheet.h"

namespace lvtext {

/// A self-contained HTML page that shows one item at a time and accepts keyboard, mouse and touch
/// input. It makes no network requests (its content security policy forbids them), stores the
/// progress of each rater in the browser's local storage, and exports the answers as a CSV file
/// that read_answers() accepts. `examples` are shown before the items, with their answers.
std::string sheet_form(const Sheet& sheet, const std::vector<RatedExample>& examples = {});

}  // namespace lvtext
