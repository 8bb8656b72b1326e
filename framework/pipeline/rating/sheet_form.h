// A rating sheet as a page that works from disk.
#pragma once

#include <string>

#include "framework/pipeline/rating/sheet.h"

namespace lvtext {

/// One self-contained HTML page that shows item after item and takes answers by keyboard, mouse or
/// touch. It loads nothing and sends nothing (its content security policy forbids both), keeps the
/// progress of each rater in the browser's local storage, and gives the answers as a CSV file that
/// read_answers() takes.
std::string sheet_form(const Sheet& sheet);

}  // namespace lvtext
